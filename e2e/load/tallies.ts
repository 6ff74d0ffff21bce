import type { Outcome, LoadSummary, WhichRequests } from './load.js';
import type { LoadRequest } from './client.js';

const isSuccess = (outcome: Outcome): boolean => typeof outcome === 'number' && outcome >= 200 && outcome < 300;

/** Returns whether an outcome is a failure: no response, not connected, 429 or 5xx. */
export const isFailure = (outcome: Outcome): boolean =>
  typeof outcome !== 'number' || outcome >= 500 || outcome === 429;

interface Waiter {
  readonly since: number;
  readonly which: WhichRequests;
  readonly resolve: (ms: number) => void;
}

/** Counts outcomes of requests. */
export class Tallies {
  private since = performance.now();
  private requests = 0;
  private skipped = 0;
  private acknowledgedWrites = 0;
  private outcomes = new Map<Outcome, number>();
  private durations: number[] = [];
  private lastFailureAt: number | undefined;
  private waiters: Waiter[] = [];

  ended(request: LoadRequest, outcome: Outcome, begun: number): void {
    const now = performance.now();
    this.requests += 1;
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    if (typeof outcome === 'number') this.durations.push(now - begun);
    if (isFailure(outcome)) this.lastFailureAt = now;
    if (isSuccess(outcome)) this.resolveWaiters(request, begun, now);
  }

  skip(): void {
    this.skipped += 1;
  }

  acknowledged(): void {
    this.acknowledgedWrites += 1;
  }

  firstSuccess(which: WhichRequests): Promise<number> {
    return new Promise((resolve) => this.waiters.push({ since: performance.now(), which, resolve }));
  }

  lap(): LoadSummary {
    const { requests, skipped, acknowledgedWrites, outcomes, since, lastFailureAt } = this;
    const durations = this.durations.toSorted((one, other) => one - other);
    this.since = performance.now();
    this.requests = this.skipped = this.acknowledgedWrites = 0;
    this.outcomes = new Map();
    this.durations = [];
    this.lastFailureAt = undefined;
    const lastFailureMs = lastFailureAt === undefined ? 0 : lastFailureAt - since;
    return { requests, skipped, acknowledgedWrites, outcomes, durations, lastFailureMs };
  }

  private resolveWaiters(request: LoadRequest, begun: number, now: number): void {
    const resolved = this.waiters.filter(({ since, which }) => begun >= since && which(request));
    this.waiters = this.waiters.filter((waiter) => !resolved.includes(waiter));
    for (const { since, resolve } of resolved) resolve(now - since);
  }
}
