interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Exponential backoff: the first delay, doubled for each retry before this one. Without jitter, see `withJitter`. */
export const backoffMs = (retriesBefore: number, { firstMs, maxMs }: Backoff): number =>
  Math.min(maxMs, firstMs * 2 ** retriesBefore);

/** Spreads a delay evenly by up to `share` in both directions, so that several processes do not retry at the same time. */
export const withJitter = (ms: number, share: number): number => ms * (1 - share + 2 * share * Math.random());
