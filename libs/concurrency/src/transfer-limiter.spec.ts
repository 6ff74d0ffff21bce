import { jest } from '@jest/globals';
import { Transfer, TransferLimiter, type TransferRules } from './transfer-limiter.js';

const passed = (transfer: Transfer, ms: number): void => {
  for (let ticked = 0; ticked < ms; ticked += 500) transfer.tick();
};

describe('Transfer', () => {
  it('counts the average since the beginning by ticks, until all has come', () => {
    const transfer = new Transfer();
    transfer.add(3_000);
    passed(transfer, 1_000);
    expect([transfer.rate, transfer.isOlderThan(1_000), transfer.isOlderThan(999)]).toEqual([3_000, false, true]);
    passed(transfer, 4_000);
    expect(transfer.rate).toBe(600);
    transfer.add(2_000);
    expect([transfer.rate, transfer.isOlderThan(4_999)]).toEqual([1_000, true]);
    transfer.arrived();
    passed(transfer, 60_000);
    expect([transfer.rate, transfer.isOlderThan(0)]).toEqual([Infinity, false]);
  });
});

class Download extends Transfer {
  state = 'waits';

  constructor(
    readonly user: string,
    readonly host: string,
  ) {
    super();
    this.signal.addEventListener('abort', () => (this.state = (this.signal.reason as Error).message));
  }
}

const userOf = ({ user }: Download) => user;
const hostOf = ({ host }: Download) => host;

const rules: TransferRules<Download> = {
  atOnce: 3,
  waiting: 3,
  waitMs: 3_000,
  shares: [
    { by: userOf, atOnce: 2, waiting: 2 },
    { by: hostOf, atOnce: 2, waiting: 3 },
  ],
  fairBy: hostOf,
  graceMs: 2_000,
  bytesPerSecond: 100,
  contestedGraceMs: 1_000,
  contestedBytesPerSecond: 1_000,
  tooSlow: () => new Error('too slow'),
  overloaded: () => new Error('overloaded'),
};

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('TransferLimiter', () => {
  let limiter: TransferLimiter<Download>;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    limiter = new TransferLimiter(rules);
  });
  afterEach(() => void jest.useRealTimers());

  /** Downloads of these users from these hosts: `A1` is user A's from host 1. */
  async function downloads(names: string): Promise<Download[]> {
    const all = names.split(' ').map((name) => new Download(name[0]!, name[1]!));
    for (const it of all)
      limiter.acquire(it).then(
        () => (it.state = 'in'),
        () => undefined,
      );
    await settled();
    return all;
  }

  async function expectStates(all: readonly Download[], states: string): Promise<void> {
    await settled();
    expect(all.map(({ state }) => state).join(', ')).toBe(states);
  }

  it('lets in a part of each key, then the one whose key has the fewest, first come first served', async () => {
    const all = await downloads('A1 A2 A3 B1 C1 C2');
    await expectStates(all, 'in, in, waits, in, waits, waits');
    limiter.release(all[0]!);
    // A2 and B1 are left: hosts 1 and 2 have a permit each, host 3 none
    await expectStates(all, 'in, in, in, in, waits, waits');
    limiter.release(all[3]!);
    await expectStates(all, 'in, in, in, in, in, waits');
    limiter.release(all[3]!);
    await expectStates(all, 'in, in, in, in, in, waits');
  });

  it('lets two in when the end of one frees the shares of both', async () => {
    const all = await downloads('A1 A1 A2 B1');
    await expectStates(all, 'in, in, waits, waits');
    limiter.release(all[0]!);
    await expectStates(all, 'in, in, in, in');
  });

  it('rejects whose key has its part of the queue, and of too many the last one of the key with the most', async () => {
    await downloads('X7 Y8 Z9');
    const user = await downloads('A1 A2 A3');
    await expectStates(user, 'waits, waits, overloaded');
    const host = await downloads('B1 C4');
    await expectStates([...user, ...host], 'waits, waits, overloaded, overloaded, waits');
  });

  it('gives a permit that is given up to the next one, and rejects one that is released while it waits', async () => {
    const all = await downloads('A1 B2 C3 D4 E5');
    limiter.release(all[3]!);
    all[0]!.giveUp(new Error('gone'));
    await expectStates(all, 'gone, in, in, overloaded, in');
  });

  it('gives up the ones below the minimum rate, and no others while none waits', async () => {
    const all = await downloads('A1 B2 C3');
    all[0]!.add(249);
    all[1]!.add(250);
    all[2]!.arrived();
    jest.advanceTimersByTime(rules.graceMs);
    await expectStates(all, 'in, in, in');
    jest.advanceTimersByTime(500);
    await expectStates(all, 'too slow, in, in');
    for (const it of all) limiter.release(it);
    expect(jest.getTimerCount()).toBe(0);
    const later = await downloads('A1');
    jest.advanceTimersByTime(rules.graceMs + 500);
    await expectStates(later, 'too slow');
  });

  it('counts what is read between the timer of a tick and its immediate', async () => {
    const [late] = await downloads('A1');
    late!.add(249);
    jest.advanceTimersByTime(rules.graceMs + 499);
    setTimeout(() => late!.add(1), 1);
    jest.advanceTimersByTime(1);
    await expectStates([late!], 'in');
  });

  it('gives up the slowest one below the contested rate for each that waits', async () => {
    const all = await downloads('A1 B2 C3 D4 E5 F6');
    all[0]!.add(1_000);
    all[1]!.add(800);
    all[2]!.add(1_500);
    jest.advanceTimersByTime(rules.contestedGraceMs);
    await expectStates(all, 'in, in, in, waits, waits, waits');
    jest.advanceTimersByTime(500);
    await expectStates(all, 'overloaded, overloaded, in, in, in, waits');
  });

  it('gives up none for one that has its share', async () => {
    const all = await downloads('A1 A2 A3');
    for (const it of all) it.add(500);
    jest.advanceTimersByTime(2_500);
    await expectStates(all, 'in, in, waits');
  });

  it('gives up the slowest one above its share before slower ones', async () => {
    limiter = new TransferLimiter({ ...rules, isAboveShare: ({ host }) => host === '2' });
    const all = await downloads('A1 B2 C2 D3');
    all[1]!.add(90_001);
    all[2]!.add(90_000);
    jest.advanceTimersByTime(1_500);
    await expectStates(all, 'in, in, overloaded, in');
  });

  it('rejects none that has waited while the process stood still, before a slow one could be given up for it', async () => {
    let tick = (): void => undefined;
    jest.spyOn(globalThis, 'setInterval').mockImplementationOnce((callback) => {
      tick = callback;
      // A timer that is never due
      return setTimeout(() => undefined, 1e9);
    });
    const all = await downloads('A1 B2 C3 D4');
    jest.advanceTimersByTime(2 * rules.waitMs);
    await expectStates(all, 'in, in, in, waits');
    for (let ms = 0; ms <= rules.contestedGraceMs; ms += 500) tick();
    await expectStates(all, 'overloaded, in, in, in');
  });

  it('rejects one that has waited too long', async () => {
    const all = await downloads('A1 B2 C3 D4');
    for (const it of all.slice(0, 3)) it.arrived();
    jest.advanceTimersByTime(rules.waitMs - 500);
    await expectStates(all, 'in, in, in, waits');
    jest.advanceTimersByTime(500);
    await expectStates(all, 'in, in, in, overloaded');
  });
});
