import { jest } from '@jest/globals';
import { type FetchPermit, FetchLimiter, fetchLimits } from './fetch.limiter.js';

const { permits, ofUser, ofServer, maxWaiting, bytesPerSecond, contestedBytesPerSecond } = fetchLimits;

const settled = () => new Promise((resolve) => setImmediate(resolve));

let users = 0;

/** Fetches until `end` or an abort. By default each fetch has another user and another host. */
function fetching(limiter: FetchLimiter, userId = ++users, hostname = `${++users}.test`) {
  let state = 'waits';
  let end: () => void = () => undefined;
  let permit: FetchPermit | undefined;
  const work = (it: FetchPermit) =>
    new Promise<void>((resolve, reject) => {
      permit = it;
      state = 'runs';
      end = resolve;
      it.signal.addEventListener('abort', () => reject(it.signal.reason as Error));
    });
  limiter.run({ userId, hostname }, work).then(
    () => (state = 'done'),
    (error: unknown) => {
      const { name, kind } = error as { name: string; kind?: { code: string } };
      state = kind?.code ?? name;
    },
  );
  return { state: () => state, end: () => end(), permit: () => permit! };
}

const states = (all: ReturnType<typeof fetching>[]) => all.map((it) => it.state());
const times = (count: number, limiter: FetchLimiter, userId?: number, hostname?: string) =>
  Array.from({ length: count }, () => fetching(limiter, userId, hostname));
const revoked = 'service.overloaded';

describe('FetchLimiter', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => void jest.useRealTimers());

  /** Advances the time, in which each running fetch receives bytes at its rate per second. */
  async function pass(ms: number, fetches: readonly (readonly [ReturnType<typeof fetching>, number])[]): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      for (const [it, rate] of fetches) if (it.state() === 'runs') it.permit().add(rate / 2);
      jest.advanceTimersByTime(500);
      await settled();
    }
  }

  it('limits the permits of a user, and serves the user with the fewest first', async () => {
    const limiter = new FetchLimiter();
    const greedy = times(ofUser + 1, limiter, -1);
    const others = Array.from({ length: permits - ofUser }, (_, index) => fetching(limiter, -index - 2));
    const [more, newcomer] = [fetching(limiter, -3), fetching(limiter)];
    await settled();
    expect(states([...greedy, ...others])).toEqual([
      ...Array<string>(ofUser).fill('runs'),
      'waits',
      ...Array<string>(permits - ofUser).fill('runs'),
    ]);
    others[0]!.end();
    await settled();
    expect(states([greedy.at(-1)!, more, newcomer])).toEqual(['waits', 'waits', 'runs']);
    greedy[0]!.end();
    await settled();
    expect(states([greedy.at(-1)!, more])).toEqual(['waits', 'runs']);
  });

  it('aborts the slowest fetch of a user above the fair share for each waiting one, and no other', async () => {
    const limiter = new FetchLimiter();
    const greedy = [-1, -2].flatMap((user) => times(ofUser, limiter, user));
    const modest = times(permits - 2 * ofUser, limiter);
    const waits = [fetching(limiter), fetching(limiter)];
    await settled();
    const fast = 2 * contestedBytesPerSecond;
    await pass(2_500, [
      ...greedy.map((it, index) => [it, fast + index] as const),
      ...modest.map((it) => [it, 10] as const),
    ]);
    expect(states(waits)).toEqual(['runs', 'runs']);
    expect(states(greedy)).toEqual([revoked, revoked, ...Array<string>(2 * ofUser - 2).fill('runs')]);
    expect(states(modest)).toEqual(modest.map(() => 'runs'));
  });

  it('aborts the slowest of many fetches by different users from one server for one from another server', async () => {
    const limiter = new FetchLimiter();
    const same = Array.from({ length: permits }, (_, index) => fetching(limiter, -index, `${index % 2}.test`));
    await settled();
    for (const it of same.slice(0, ofServer + 1)) it.permit().server = '203.0.113.7';
    const [other, alike] = [fetching(limiter), fetching(limiter, ++users, '1.test')];
    const fast = 2 * contestedBytesPerSecond;
    await pass(
      2_500,
      same.map((it, index) => [it, fast + index] as const),
    );
    expect(states([same[0]!, other, alike])).toEqual([revoked, 'runs', 'waits']);
    expect(states(same.slice(1))).toEqual(Array<string>(permits - 1).fill('runs'));
  });

  it('aborts no fetch from a server for another one from the same host', async () => {
    const limiter = new FetchLimiter();
    const same = Array.from({ length: permits + 1 }, () => fetching(limiter, ++users, 'same.test'));
    await settled();
    await pass(
      2_500,
      same.map((it) => [it, 2 * contestedBytesPerSecond] as const),
    );
    expect(states(same)).toEqual([...Array<string>(permits).fill('runs'), 'waits']);
  });

  it('aborts a fetch below the minimum rate without waiting ones, but not a complete one', async () => {
    const limiter = new FetchLimiter();
    const [trickle, steady, whole] = [fetching(limiter), fetching(limiter), fetching(limiter)];
    await settled();
    whole.permit().complete();
    await pass(5_000, [
      [trickle, 8],
      [steady, 1.5 * bytesPerSecond],
    ]);
    expect(trickle.state()).toBe('runs');
    await pass(500, [[steady, 1.5 * bytesPerSecond]]);
    expect(states([trickle, steady, whole])).toEqual(['FetchTooSlow', 'runs', 'runs']);
  });

  it('rejects the last fetch by the user with the most when too many wait, and others after the timeout', async () => {
    const limiter = new FetchLimiter();
    const all = times(permits, limiter);
    const greedy = times(maxWaiting, limiter, -1);
    await settled();
    for (const it of all) it.permit().complete();
    const newcomer = fetching(limiter);
    await settled();
    expect(states([...greedy, newcomer])).toEqual([...Array<string>(maxWaiting - 1).fill('waits'), revoked, 'waits']);
    await pass(5_000, []);
    expect(newcomer.state()).toBe(revoked);
  });
});
