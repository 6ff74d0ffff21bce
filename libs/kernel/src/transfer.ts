/** How often a limiter ticks its transfers. */
export const transferTickMs = 500;

/**
 * Average rate of bytes that arrive. Time is counted in ticks, not by a clock: what arrived while the process stood still is
 * read before the next tick.
 */
export class Transfer {
  private bytes = 0;
  private ticks = 0;
  private isArriving = true;

  add(bytes: number): void {
    this.bytes += bytes;
  }

  /** All bytes have come: it is not slow any more, however long the rest takes. */
  arrived(): void {
    this.isArriving = false;
  }

  tick(): void {
    this.ticks += 1;
  }

  /** In bytes per second since the beginning; infinite after the end. */
  get rate(): number {
    return this.isArriving ? this.bytes / ((this.ticks * transferTickMs) / 1_000) : Infinity;
  }

  /** Whether it still arrives after that time. */
  isOlderThan(ms: number): boolean {
    return this.isArriving && this.ticks * transferTickMs > ms;
  }
}
