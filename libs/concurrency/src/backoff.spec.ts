import { backoffMs, withJitter } from './backoff.js';

describe('backoffMs', () => {
  it('doubles the first delay with each retry, up to the maximum', () => {
    const delays = [0, 1, 2, 3, 4, 5_000].map((retries) => backoffMs(retries, { firstMs: 100, maxMs: 1_000 }));
    expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });
});

describe('withJitter', () => {
  it('spreads delays over the whole share in both directions', () => {
    const delays = Array.from({ length: 1_000 }, () => withJitter(100, 0.25));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(75);
    expect(Math.min(...delays)).toBeLessThan(80);
    expect(Math.max(...delays)).toBeLessThanOrEqual(125);
    expect(Math.max(...delays)).toBeGreaterThan(120);
  });
});
