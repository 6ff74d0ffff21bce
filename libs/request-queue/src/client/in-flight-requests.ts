import { randomInt } from 'node:crypto';
import { type Attempt, type PendingRequest } from './pending-request.js';

/** Number of possible correlation ids: too many to guess the id of an open request. */
const correlationCount = 2 ** 48 - 1;

/**
 * Open requests of a process: attempts by correlation id, and the number of requests per service.
 */
export class InFlightRequests {
  private readonly attempts = new Map<number, Attempt>();
  private readonly counts = new Map<string, number>();

  count(service: string): number {
    return this.counts.get(service) ?? 0;
  }

  open(service: string): void {
    this.counts.set(service, this.count(service) + 1);
  }

  /** Adds an attempt of an open request, with a correlation id that no other open attempt has. */
  addAttempt(pending: PendingRequest, ttl: number, encode: (correlation: number) => Buffer): Attempt {
    let correlation: number;
    do correlation = randomInt(correlationCount);
    while (this.attempts.has(correlation));
    const attempt = {
      correlation,
      frame: encode(correlation),
      pending,
      sentAt: performance.now(),
      ttl,
      list: undefined,
    };
    this.attempts.set(attempt.correlation, attempt);
    pending.attempts.push(attempt);
    return attempt;
  }

  /**
   * Removes one attempt of a request that stays open, so that a second copy of its reply is
   * ignored.
   */
  removeAttempt({ correlation, pending }: Attempt): void {
    this.attempts.delete(correlation);
    pending.attempts.splice(
      pending.attempts.findIndex((attempt) => attempt.correlation === correlation),
      1,
    );
  }

  find(correlation: number): Attempt | undefined {
    return this.attempts.get(correlation);
  }

  all(): PendingRequest[] {
    return [...this.attempts.values()].map(({ pending }) => pending);
  }

  close(pending: PendingRequest): void {
    const { service } = pending.request;
    this.counts.set(service, this.count(service) - 1);
    for (const { correlation } of pending.attempts) this.attempts.delete(correlation);
  }
}
