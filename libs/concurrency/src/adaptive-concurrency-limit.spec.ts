import { AdaptiveConcurrencyLimit } from './adaptive-concurrency-limit.js';

/**
 * Simulates as many requests in flight as the limit allows, of which `perSecond` end each second.
 * Returns the last limit.
 */
function overload(
  limit: AdaptiveConcurrencyLimit,
  perSecond: number,
  seconds: number,
  { from = 1_024, at = 0 } = {},
): number {
  let inFlight = from;
  for (let n = 1; n <= seconds * perSecond; n++)
    inFlight = limit.record((inFlight / perSecond) * 1_000, inFlight, at + (n * 1_000) / perSecond);
  return inFlight;
}

describe('AdaptiveConcurrencyLimit', () => {
  it('is the maximum while latency is low', () => {
    expect(overload(new AdaptiveConcurrencyLimit(1_024), 8_000, 30)).toBe(1_024);
  });

  it.each([2_000, 1_200, 600])(
    'drops to about the number of requests that end within 250 ms, at %i requests per second',
    (perSecond) => {
      const limit = overload(new AdaptiveConcurrencyLimit(1_024), perSecond, 90);
      expect(limit / perSecond).toBeGreaterThan(0.2);
      expect(limit / perSecond).toBeLessThan(0.4);
    },
  );

  it('ignores a burst of requests, however slow they are', () => {
    const limit = new AdaptiveConcurrencyLimit(1_024);
    for (let inFlight = 200, now = 0; inFlight > 0; inFlight--, now += 12)
      expect(limit.record(now, inFlight, now)).toBe(1_024);
  });

  it('grows again when the services are faster', () => {
    const limit = new AdaptiveConcurrencyLimit(1_024);
    const slow = overload(limit, 600, 90);
    expect(slow).toBeLessThan(200);
    expect(overload(limit, 8_000, 30, { from: slow, at: 90_000 })).toBe(1_024);
  });

  it('returns to the maximum when few requests are in flight', () => {
    const limit = new AdaptiveConcurrencyLimit(1_024);
    overload(limit, 600, 90);
    let last = 0;
    for (let n = 0; n < 100; n++) last = limit.record(5, 1, 90_000 + n * 60);
    expect(last).toBe(1_024);
  });

  it('has a lower bound, so that a few slow requests are no overload', () => {
    expect(overload(new AdaptiveConcurrencyLimit(1_024), 20, 180)).toBe(128);
    expect(overload(new AdaptiveConcurrencyLimit(64), 20, 180, { from: 64 })).toBe(16);
    expect(overload(new AdaptiveConcurrencyLimit(10), 1, 180, { from: 10 })).toBe(10);
  });
});
