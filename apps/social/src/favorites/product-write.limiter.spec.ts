import { jest } from '@jest/globals';
import { problems } from '#contracts';
import { runInCall } from '#request-queue';
import { ProductWriteLimiter } from './product-write.limiter.js';

/**
 * Returns functions that begin writes in a limiter and end them, and the numbers of running and
 * rejected writes.
 */
function trackWrites(limit: ProductWriteLimiter) {
  const ends: (() => void)[] = [];
  const running = new Map<number, number>();
  let rejected = 0;
  let inSlots = 0;
  const begin = (productId: number) => {
    inSlots += 1;
    return limit
      .run(productId, () => {
        running.set(productId, (running.get(productId) ?? 0) + 1);
        return new Promise<void>((resolve) => ends.push(resolve));
      })
      .catch((error: unknown) => {
        expect(error).toMatchObject({ kind: problems['service.overloaded'] });
        rejected += 1;
      })
      .finally(() => (inSlots -= 1));
  };
  const endOne = () => ends.shift()?.();
  const endAll = () => ends.splice(0).forEach((end) => end());
  return { running, begin, endOne, endAll, rejected: () => rejected, inSlots: () => inSlots };
}

/** Runs everything that is due now. */
const settle = (): Promise<void> => jest.advanceTimersByTimeAsync(0);

/** Runs immediates scheduled by a timer: fake timers run them a millisecond later. */
const runImmediates = (): Promise<void> => jest.advanceTimersByTimeAsync(1);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('gives a popular product half of the slots, and others a part of the rest', () => {
  const { running, begin } = trackWrites(new ProductWriteLimiter(64));
  for (let n = 0; n < 100; n += 1) void begin(1);
  expect(running).toEqual(new Map([[1, 32]]));
  for (let n = 0; n < 100; n += 1) for (const id of [1, 2, 3]) void begin(id);
  expect([...running.values()].reduce((sum, count) => sum + count)).toBeLessThan(64);
  void begin(4);
  expect(running.get(4)).toBe(1);
});

it('admits a whole burst while writes end', async () => {
  const { running, begin, endAll, rejected } = trackWrites(new ProductWriteLimiter(64));
  for (let n = 0; n < 100; n += 1) void begin(1);
  for (const admitted of [64, 96, 100]) {
    await jest.advanceTimersByTimeAsync(499);
    endAll();
    await settle();
    expect(running).toEqual(new Map([[1, admitted]]));
  }
  expect(rejected()).toBe(0);
});

it('rejects writes beyond the limit after 500 ms without an end, then immediately until one ends', async () => {
  const { running, begin, endAll, rejected } = trackWrites(new ProductWriteLimiter(64));
  for (let n = 0; n < 50; n += 1) void begin(1);
  await jest.advanceTimersByTimeAsync(499);
  expect(rejected()).toBe(0);
  await jest.advanceTimersByTimeAsync(1);
  await runImmediates();
  expect(rejected()).toBe(18);
  await begin(1);
  expect(rejected()).toBe(19);
  void begin(2);
  expect(running).toEqual(
    new Map([
      [1, 32],
      [2, 1],
    ]),
  );
  endAll();
  await settle();
  for (let n = 0; n < 40; n += 1) void begin(1);
  expect(running.get(1)).toBe(64);
  expect(rejected()).toBe(19);
});

it('rejects none when a write ended while the event loop was blocked', async () => {
  const { begin, endOne, rejected } = trackWrites(new ProductWriteLimiter(64));
  for (let n = 0; n < 50; n += 1) void begin(1);
  // The event loop reads received data between a timer and an immediate
  setTimeout(endOne, 500);
  await jest.advanceTimersByTimeAsync(500);
  await runImmediates();
  expect(rejected()).toBe(0);
});

it('admits a burst of another product after writes were rejected', async () => {
  const { begin, rejected } = trackWrites(new ProductWriteLimiter(64));
  for (let n = 0; n < 60; n += 1) void begin(1);
  await jest.advanceTimersByTimeAsync(2_000);
  expect(rejected()).toBe(28);
  for (let n = 0; n < 32; n += 1) void begin(2);
  await settle();
  expect(rejected()).toBe(28);
});

it('reserves an eighth of the slots when writes arrive faster than they end', async () => {
  const limit = new ProductWriteLimiter(64);
  const { begin, endOne, inSlots } = trackWrites(limit);
  for (let n = 0; n < 64; n += 1) void begin(1);
  expect(inSlots()).toBe(64);
  // Every 100 ms one write ends and others arrive
  for (let ms = 0; ms < 10_000; ms += 100) {
    endOne();
    await jest.advanceTimersByTimeAsync(100);
    for (let n = 0; n < 10; n += 1) if (inSlots() < 64) void begin(1);
    await settle();
    if (ms >= 2_000) expect(inSlots()).toBe(56);
  }
});

it('rejects an admitted write whose caller has stopped waiting', async () => {
  const { running, begin, endAll, rejected } = trackWrites(new ProductWriteLimiter(2));
  const late = new AbortController();
  void begin(1);
  const ended = runInCall({ requestId: 'late', signal: late.signal }, () => begin(1));
  late.abort();
  endAll();
  await ended;
  expect([running.get(1), rejected()]).toEqual([1, 1]);
});

it('releases capacity, also of a single slot, and clears its timer', async () => {
  const { running, begin, endAll } = trackWrites(new ProductWriteLimiter(1));
  for (let n = 1; n <= 3; n += 1) {
    const ended = begin(1);
    expect(running.get(1)).toBe(n);
    endAll();
    await ended;
  }
  void begin(1);
  const waited = begin(1);
  expect(jest.getTimerCount()).toBe(1);
  endAll();
  await settle();
  endAll();
  await waited;
  expect(jest.getTimerCount()).toBe(0);
});
