import { backoffMs } from '#concurrency';

const firstMs = 500;
/** A process that ran this long was well: its next end is counted as the first. */
const wellAfterMs = 60_000;

/** How long to wait before an app that ended is started again: 0.5 s, doubled for every end in a row, at most 30 s. */
export class BackOff {
  private endsInARow = 0;

  constructor(private readonly longestMs = 30_000) {}

  /** @param ranMs how long the process that ended now had run */
  nextDelayMs(ranMs: number): number {
    if (ranMs >= wellAfterMs) this.endsInARow = 0;
    const delay = backoffMs(this.endsInARow, { firstMs, maxMs: this.longestMs });
    this.endsInARow += 1;
    return delay;
  }
}
