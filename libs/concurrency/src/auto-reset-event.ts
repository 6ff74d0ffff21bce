import { withTimeout } from './with-timeout.js';
import { type Deferred, deferred } from './deferred.js';

/**
 * Auto-reset event with one waiter: a set event ends one wait, which resets it. Setting a set event
 * has no effect.
 */
export class AutoResetEvent {
  private isSet = false;
  private waiter: Deferred<void> | undefined;

  set(): void {
    this.isSet = true;
    this.waiter?.resolve();
  }

  /** Waits until the event is set, at most `timeoutMs`, and resets it. */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.isSet) {
      this.waiter = deferred();
      // Only code of this process sets the event, so the timer prevents the process from exiting
      await withTimeout(this.waiter.promise, timeoutMs, () => undefined, { ref: true });
    }
    this.waiter = undefined;
    this.isSet = false;
  }
}
