import type { Ending, Tally, WhichRequests } from './load.js';
import type { Asked } from './client.js';

const isSuccess = (ending: Ending): boolean => typeof ending === 'number' && ending >= 200 && ending < 300;

/** Whether the service, and not the request, is why there is no success. */
export const isFailure = (ending: Ending): boolean => typeof ending !== 'number' || ending >= 500 || ending === 429;

interface Waiter {
  readonly since: number;
  readonly which: WhichRequests;
  readonly resolve: (ms: number) => void;
}

/** Counts how requests end. */
export class Tallies {
  private since = performance.now();
  private requests = 0;
  private heldBack = 0;
  private acknowledgedWrites = 0;
  private endings = new Map<Ending, number>();
  private durations: number[] = [];
  private lastFailureAt: number | undefined;
  private waiters: Waiter[] = [];

  ended(asked: Asked, ending: Ending, begun: number): void {
    const now = performance.now();
    this.requests += 1;
    this.endings.set(ending, (this.endings.get(ending) ?? 0) + 1);
    if (typeof ending === 'number') this.durations.push(now - begun);
    if (isFailure(ending)) this.lastFailureAt = now;
    if (isSuccess(ending)) this.tellWaiters(asked, begun, now);
  }

  held(): void {
    this.heldBack += 1;
  }

  acknowledged(): void {
    this.acknowledgedWrites += 1;
  }

  firstSuccess(which: WhichRequests): Promise<number> {
    return new Promise((resolve) => this.waiters.push({ since: performance.now(), which, resolve }));
  }

  lap(): Tally {
    const { requests, heldBack, acknowledgedWrites, endings, since, lastFailureAt } = this;
    const durations = this.durations.toSorted((one, other) => one - other);
    this.since = performance.now();
    this.requests = this.heldBack = this.acknowledgedWrites = 0;
    this.endings = new Map();
    this.durations = [];
    this.lastFailureAt = undefined;
    const lastFailureMs = lastFailureAt === undefined ? 0 : lastFailureAt - since;
    return { requests, heldBack, acknowledgedWrites, endings, durations, lastFailureMs };
  }

  private tellWaiters(asked: Asked, begun: number, now: number): void {
    const told = this.waiters.filter(({ since, which }) => begun >= since && which(asked));
    this.waiters = this.waiters.filter((waiter) => !told.includes(waiter));
    for (const { since, resolve } of told) resolve(now - since);
  }
}
