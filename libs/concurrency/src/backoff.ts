interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * Returns the delay of an exponential backoff: `firstMs`, doubled for each earlier retry, at most
 * `maxMs`. Add jitter with `withJitter`.
 */
export const backoffMs = (retriesBefore: number, { firstMs, maxMs }: Backoff): number =>
  Math.min(maxMs, firstMs * 2 ** retriesBefore);

/**
 * Adds uniform jitter of up to `share` in both directions, so that several processes do not retry
 * at the same time.
 */
export const withJitter = (ms: number, share: number): number => ms * (1 - share + 2 * share * Math.random());
