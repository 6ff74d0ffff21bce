import { withTimeout } from './with-timeout.js';

/**
 * Counting semaphore of a consumer that fetches batches: the consumer waits for free permits,
 * fetches at most as many items, then acquires a permit for each. `acquire` is synchronous and
 * never waits.
 */
export class Semaphore {
  private taken = 0;
  private waiters: (() => void)[] = [];

  constructor(readonly permits: number) {}

  /** Number of acquired permits. */
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

  /** Waits until a permit is free. Returns the number of free permits, at most `max`. */
  async whenAvailable(max: number): Promise<number> {
    while (this.taken >= this.permits) await this.released();
    return Math.min(max, this.permits - this.taken);
  }

  /** Returns true once no permit is acquired, false after `timeoutMs`. */
  async whenIdle(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    // Only a release in this process ends the wait, so the timer prevents the process from exiting
    while (this.taken > 0 && performance.now() < deadline)
      await withTimeout(this.released(), deadline - performance.now(), () => false, { ref: true });
    return this.taken === 0;
  }

  private released(): Promise<void> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }
}
