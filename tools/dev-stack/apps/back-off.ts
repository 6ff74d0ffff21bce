import { backoffMs } from '#concurrency';

const firstMs = 500;
/** A run of this duration resets the backoff. */
const resetAfterMs = 60_000;

/** Restart delay of an app or server: 0.5 s, doubled for each consecutive exit, at most 30 s. */
export class BackOff {
  private consecutiveExits = 0;

  constructor(private readonly longestMs = 30_000) {}

  /** @param ranMs duration of the run that has ended */
  nextDelayMs(ranMs: number): number {
    if (ranMs >= resetAfterMs) this.consecutiveExits = 0;
    const delay = backoffMs(this.consecutiveExits, { firstMs, maxMs: this.longestMs });
    this.consecutiveExits += 1;
    return delay;
  }
}
