import { randomInt } from 'node:crypto';
import { type Attempt, type Pending } from './pending-request.js';

/** As many as fit in a frame. A guess of the number of an open request is in vain. */
const correlations = 2 ** 48 - 1;

/** The requests of a process that wait for a reply: by the number in their frames, and how many there are. */
export class InFlightRequests {
  private readonly attempts = new Map<number, Attempt>();
  private readonly counts = new Map<string, number>();

  count(service: string): number {
    return this.counts.get(service) ?? 0;
  }

  open(service: string): void {
    this.counts.set(service, this.count(service) + 1);
  }

  /** Adds a try of an open request under a number that no other open try has. */
  add(pending: Pending, ttl: number, encode: (correlation: number) => Buffer): Attempt {
    let correlation: number;
    do correlation = randomInt(correlations);
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

  /** Ends one try of a request that stays open: a second copy of its reply finds nothing. */
  drop({ correlation, pending }: Attempt): void {
    this.attempts.delete(correlation);
    pending.attempts.splice(
      pending.attempts.findIndex((attempt) => attempt.correlation === correlation),
      1,
    );
  }

  find(correlation: number): Attempt | undefined {
    return this.attempts.get(correlation);
  }

  all(): Pending[] {
    return [...this.attempts.values()].map(({ pending }) => pending);
  }

  close(pending: Pending): void {
    const { service } = pending.request;
    this.counts.set(service, this.count(service) - 1);
    for (const { correlation } of pending.attempts) this.attempts.delete(correlation);
  }
}
