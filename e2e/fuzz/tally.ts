import type { SerializedRequest } from './fuzz-request.js';
import { reachedServices } from './verdict.js';
import type { WireOutcome } from './wire.js';

/** Counts of the requests of a route. */
interface RouteTally {
  requests: number;
  reachedServices: number;
  readonly statuses: Map<string, number>;
}

/** Counts requests by outcome, in total and by route. */
export class Tally {
  requests = 0;
  defects = 0;
  /** Requests without a response or a close before the timeout. */
  silent = 0;
  reachedServices = 0;
  readonly statuses = new Map<string, number>();
  readonly routes = new Map<string, RouteTally>();

  add({ route }: SerializedRequest, { how, responses }: WireOutcome, isDefect: boolean): void {
    const of = this.of(route);
    const [first] = responses;
    const status = first ? String(first.status) : how;
    const reached = first !== undefined && reachedServices(first);
    this.requests += 1;
    of.requests += 1;
    if (isDefect) this.defects += 1;
    if (how === 'silent') this.silent += 1;
    if (reached) this.reachedServices += 1;
    if (reached) of.reachedServices += 1;
    for (const counts of [this.statuses, of.statuses]) counts.set(status, (counts.get(status) ?? 0) + 1);
  }

  /** Returns the number of requests with a status in a range. */
  between(from: number, to: number): number {
    const inside = [...this.statuses].filter(([status]) => Number(status) >= from && Number(status) <= to);
    return inside.reduce((sum, [, count]) => sum + count, 0);
  }

  private of(route: string): RouteTally {
    let known = this.routes.get(route);
    if (!known) this.routes.set(route, (known = { requests: 0, reachedServices: 0, statuses: new Map() }));
    return known;
  }
}
