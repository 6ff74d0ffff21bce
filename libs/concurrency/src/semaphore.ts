import { withTimeout } from './with-timeout.js';

/**
 * Counting semaphore of a consumer that fetches batches: the consumer waits for free permits, fetches at most as many items,
 * then acquires a permit for each. To acquire is synchronous and never waits.
 */
export class Semaphore {
  private taken = 0;
  private waiters: (() => void)[] = [];

  constructor(readonly permits: number) {}

  /** Number of permits that are acquired. */
  get acquired(): number {
    return this.taken;
  }

  acquire(): void {
    this.taken++;
  }

  release(): void {
    this.taken--;
    const { waiters } = this;
    this.waiters = [];
    for (const wake of waiters) wake();
  }

  /** Returns the number of free permits, at most `most`; waits while there is none. */
  async whenAvailable(most: number): Promise<number> {
    while (this.taken >= this.permits) await this.released();
    return Math.min(most, this.permits - this.taken);
  }

  /** Returns true as soon as no permit is acquired, false after `timeoutMs`. */
  async whenIdle(timeoutMs: number): Promise<boolean> {
    const until = performance.now() + timeoutMs;
    // Only a release in this process ends the wait, so the timer keeps the process alive
    while (this.taken > 0 && performance.now() < until)
      await withTimeout(this.released(), until - performance.now(), () => false, { ref: true });
    return this.taken === 0;
  }

  private released(): Promise<void> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }
}
