import { FairConcurrencyLimit } from './fair-concurrency-limit.js';

/** Acquires permits until the caller is rejected, and returns their number. */
function fill(limit: FairConcurrencyLimit, caller: string): number {
  let count = 0;
  while (limit.tryAcquire(caller)) count += 1;
  return count;
}

describe('FairConcurrencyLimit', () => {
  it('gives a single caller a part of the permits, and the next caller a part of the rest', () => {
    const limit = new FairConcurrencyLimit(100);
    expect(fill(limit, 'a')).toBe(67);
    expect(fill(limit, 'b')).toBe(25);
    expect(fill(limit, 'c')).toBe(8);
    expect(limit.tryAcquire('a')).toBe(false);
  });

  it('gives a permit to each caller without one, until all are acquired', () => {
    const limit = new FairConcurrencyLimit(100);
    fill(limit, 'greedy');
    let others = 0;
    while (limit.tryAcquire(`caller ${others}`)) others += 1;
    expect(others).toBe(33);
    expect(limit.tryAcquire('greedy')).toBe(false);
  });

  it('gives released permits to other callers and to the same caller', () => {
    const limit = new FairConcurrencyLimit(2);
    expect(['a', 'b', 'c'].map((caller) => limit.tryAcquire(caller))).toEqual([true, true, false]);
    limit.release('a');
    expect(['c', 'a'].map((caller) => limit.tryAcquire(caller))).toEqual([true, false]);
    limit.release('b');
    limit.release('c');
    expect(fill(limit, 'a')).toBe(2);
  });

  it('when lowered, bounds the number of callers, although one caller has most permits', () => {
    const limit = new FairConcurrencyLimit(100);
    fill(limit, 'greedy');
    limit.resize(3);
    expect(['greedy', 'a', 'b', 'c', 'a'].map((caller) => limit.tryAcquire(caller))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
    limit.resize(1_000);
    expect(limit.tryAcquire('c')).toBe(true);
    expect(limit.acquired).toBe(70);
  });

  it('when lowered, rejects no caller below half of an equal share', () => {
    const limit = new FairConcurrencyLimit(100);
    fill(limit, 'greedy');
    limit.resize(20);
    expect(fill(limit, 'modest')).toBe(5);
    expect(fill(limit, 'third')).toBe(4);
    expect(limit.tryAcquire('greedy')).toBe(false);
  });

  it('leaks no permit', () => {
    const limit = new FairConcurrencyLimit(100);
    for (let round = 0; round < 3; round++) {
      expect(fill(limit, 'a')).toBe(67);
      for (let n = 0; n < 67; n++) limit.release('a');
    }
  });
});
