import { within } from './latch.js';

/** How many handlers may run at once, and how many do. */
export class Slots {
  private taken = 0;
  private waiters: (() => void)[] = [];

  constructor(readonly total: number) {}

  get busy(): number {
    return this.taken;
  }

  take(): void {
    this.taken++;
  }

  release(): void {
    this.taken--;
    const waiters = this.waiters;
    this.waiters = [];
    for (const wake of waiters) wake();
  }

  /** The number of free slots, at most `most`; waits while there is none. */
  async room(most: number): Promise<number> {
    while (this.taken >= this.total) await this.released();
    return Math.min(most, this.total - this.taken);
  }

  /** Resolves with true when nothing runs any more, with false after `timeoutMs`. */
  async idle(timeoutMs: number): Promise<boolean> {
    const until = performance.now() + timeoutMs;
    while (this.taken > 0 && performance.now() < until) await within(this.released(), until - performance.now(), false);
    return this.taken === 0;
  }

  private released(): Promise<void> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }
}
