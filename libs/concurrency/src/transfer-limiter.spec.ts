import { jest } from '@jest/globals';
import { Transfer, TransferLimiter, type TransferLimiterOptions } from './transfer-limiter.js';

const tickFor = (transfer: Transfer, ms: number): void => {
  for (let countedMs = 0; countedMs < ms; countedMs += 500) transfer.tick();
};

describe('Transfer', () => {
  it('has the average rate over its ticks until it is complete', () => {
    const transfer = new Transfer();
    transfer.add(3_000);
    tickFor(transfer, 1_000);
    expect([transfer.rate, transfer.isOlderThan(1_000), transfer.isOlderThan(999)]).toEqual([3_000, false, true]);
    tickFor(transfer, 4_000);
    expect(transfer.rate).toBe(600);
    transfer.add(2_000);
    expect([transfer.rate, transfer.isOlderThan(4_999)]).toEqual([1_000, true]);
    transfer.complete();
    tickFor(transfer, 60_000);
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

const options: TransferLimiterOptions<Download> = {
  permits: 3,
  maxWaiting: 3,
  timeoutMs: 3_000,
  shares: [
    { by: userOf, permits: 2, maxWaiting: 2 },
    { by: hostOf, permits: 2, maxWaiting: 3 },
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
    limiter = new TransferLimiter(options);
  });
  afterEach(() => void jest.useRealTimers());

  /** Starts downloads named by user and host: `A1` is a download of user A from host 1. */
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

  it('limits the permits of each key and prefers the key with the fewest, in the order of arrival', async () => {
    const all = await downloads('A1 A2 A3 B1 C1 C2');
    await expectStates(all, 'in, in, waits, in, waits, waits');
    limiter.release(all[0]!);
    // A2 and B1 are open: hosts 1 and 2 have a permit each, host 3 none
    await expectStates(all, 'in, in, in, in, waits, waits');
    limiter.release(all[3]!);
    await expectStates(all, 'in, in, in, in, in, waits');
    limiter.release(all[3]!);
    await expectStates(all, 'in, in, in, in, in, waits');
  });

  it('admits two waiting transfers when the release of one frees a permit for both their keys', async () => {
    const all = await downloads('A1 A1 A2 B1');
    await expectStates(all, 'in, in, waits, waits');
    limiter.release(all[0]!);
    await expectStates(all, 'in, in, in, in');
  });

  it('rejects a key at its queue limit; when full, the last transfer of the key with the most waiting', async () => {
    await downloads('X7 Y8 Z9');
    const user = await downloads('A1 A2 A3');
    await expectStates(user, 'waits, waits, overloaded');
    const host = await downloads('B1 C4');
    await expectStates([...user, ...host], 'waits, waits, overloaded, overloaded, waits');
  });

  it('gives the permit of an aborted transfer to the next, and rejects a waiting one that is released', async () => {
    const all = await downloads('A1 B2 C3 D4 E5');
    limiter.release(all[3]!);
    all[0]!.abort(new Error('aborted'));
    await expectStates(all, 'aborted, in, in, overloaded, in');
  });

  it('aborts transfers below the minimum rate, and no others while no transfer waits', async () => {
    const all = await downloads('A1 B2 C3');
    all[0]!.add(249);
    all[1]!.add(250);
    all[2]!.complete();
    jest.advanceTimersByTime(options.graceMs);
    await expectStates(all, 'in, in, in');
    jest.advanceTimersByTime(500);
    await expectStates(all, 'too slow, in, in');
    for (const it of all) limiter.release(it);
    expect(jest.getTimerCount()).toBe(0);
    const later = await downloads('A1');
    jest.advanceTimersByTime(options.graceMs + 500);
    await expectStates(later, 'too slow');
  });

  it('counts bytes that are read between the timer of a tick and its immediate', async () => {
    const [late] = await downloads('A1');
    late!.add(249);
    jest.advanceTimersByTime(options.graceMs + 499);
    setTimeout(() => late!.add(1), 1);
    jest.advanceTimersByTime(1);
    await expectStates([late!], 'in');
  });

  it('aborts the slowest transfer below the contested rate for each waiting transfer', async () => {
    const all = await downloads('A1 B2 C3 D4 E5 F6');
    all[0]!.add(1_000);
    all[1]!.add(800);
    all[2]!.add(1_500);
    jest.advanceTimersByTime(options.contestedGraceMs);
    await expectStates(all, 'in, in, in, waits, waits, waits');
    jest.advanceTimersByTime(500);
    await expectStates(all, 'overloaded, overloaded, in, in, in, waits');
  });

  it('aborts no transfer for a waiting transfer whose key is at its limit', async () => {
    const all = await downloads('A1 A2 A3');
    for (const it of all) it.add(500);
    jest.advanceTimersByTime(2_500);
    await expectStates(all, 'in, in, waits');
  });

  it('aborts the slowest transfer above its share before slower transfers below their share', async () => {
    limiter = new TransferLimiter({ ...options, isAboveShare: ({ host }) => host === '2' });
    const all = await downloads('A1 B2 C2 D3');
    all[1]!.add(90_001);
    all[2]!.add(90_000);
    jest.advanceTimersByTime(1_500);
    await expectStates(all, 'in, in, overloaded, in');
  });

  it('counts no waiting time during a stall, and then aborts a slow transfer for the waiting one', async () => {
    let tick = (): void => undefined;
    jest.spyOn(globalThis, 'setInterval').mockImplementationOnce((callback) => {
      tick = callback;
      // A timer that does not fire during the test
      return setTimeout(() => undefined, 1e9);
    });
    const all = await downloads('A1 B2 C3 D4');
    jest.advanceTimersByTime(2 * options.timeoutMs);
    await expectStates(all, 'in, in, in, waits');
    for (let ms = 0; ms <= options.contestedGraceMs; ms += 500) tick();
    await expectStates(all, 'overloaded, in, in, in');
  });

  it('rejects a waiting transfer after the timeout', async () => {
    const all = await downloads('A1 B2 C3 D4');
    for (const it of all.slice(0, 3)) it.complete();
    jest.advanceTimersByTime(options.timeoutMs - 500);
    await expectStates(all, 'in, in, in, waits');
    jest.advanceTimersByTime(500);
    await expectStates(all, 'in, in, in, overloaded');
  });
});
