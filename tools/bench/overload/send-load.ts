import { setTimeout as sleep } from 'node:timers/promises';
import { Connections, type Outcome } from './connections.js';

/**
 * A load: requests at a rate, or by callers that each send a request after the previous response.
 */
export interface Load {
  readonly origin: string;
  /** Requests as written to the socket. */
  readonly requests: readonly string[];
  /** Consecutive phases without a pause. */
  readonly phases: readonly Phase[];
}

export interface Phase {
  readonly seconds: number;
  readonly pace: { readonly rate: number } | { readonly callers: number };
}

/** Results of all requests, at the same index of the three arrays. */
export interface LoadResult {
  /** Due time in milliseconds since the start. */
  readonly dueAt: Float64Array;
  /** Milliseconds from the due time to the response, including delays of the generator. */
  readonly tookMs: Float64Array;
  /** HTTP statuses, or 0 and -1 as described at `Outcome`. */
  readonly outcomes: Int16Array;
  /** CPU time of the generator. */
  readonly cpuMs: number;
  readonly connections: number;
}

/**
 * Limit of connections, above the number of requests that the gateway admits, so that the generator
 * is not the bottleneck.
 */
const maxConnections = 3_000;
/** Timeout for responses after the end of the load; recorded as the time of a missing response. */
const timeoutMs = 12_000;
const tickMs = 4;
const minWarm = 32;
const maxWarm = maxConnections;
export const notSent = -1;

/** Sends the load and records each response. */
export async function sendLoad(load: Load): Promise<LoadResult> {
  const { hostname, port } = new URL(load.origin);
  const connections = new Connections(Number(port), hostname, maxConnections);
  // Node.js 20 accepts one new connection per event loop iteration, which is slow under load. The
  // times of requests on new connections would include that wait
  await connections.warm(Math.min(maxWarm, Math.max(...load.phases.map(neededBy))));
  const requests = load.requests.map((text) => Buffer.from(text));
  const log = new RequestLog();
  const cpu = process.cpuUsage();
  let next = 0;
  const send = (dueAt: number, then?: () => void): void => {
    const at = log.begin(dueAt);
    const settle = (outcome: Outcome): void => {
      log.end(at, outcome);
      then?.();
    };
    const isSent = connections.send(requests[next++ % requests.length]!, settle);
    if (!isSent) settle(notSent);
  };
  let beginsAt = 0;
  for (const { pace, seconds } of load.phases) {
    const endsAt = beginsAt + seconds * 1_000;
    if ('rate' in pace) await atRate(pace.rate, { beginsAt, endsAt }, log, send);
    else await byCallers(pace.callers, endsAt, log, send);
    beginsAt = endsAt;
  }
  const { user, system } = process.cpuUsage(cpu);
  const until = performance.now() + timeoutMs;
  while (log.open > 0 && performance.now() < until) await sleep(10);
  const result = { ...log.lists(), cpuMs: (user + system) / 1_000, connections: connections.count };
  connections.close();
  return result;
}

/** Number of connections of a phase: one per caller, or one per request of a second. */
const neededBy = ({ pace }: Phase): number => ('rate' in pace ? Math.max(minWarm, pace.rate) : pace.callers);

type Send = (dueAt: number, then?: () => void) => void;

/** Milliseconds since the start. */
interface Span {
  readonly beginsAt: number;
  readonly endsAt: number;
}

/** Sends at even intervals, independent of responses. */
async function atRate(rate: number, { beginsAt, endsAt }: Span, log: RequestLog, send: Send): Promise<void> {
  const distanceMs = 1_000 / rate;
  for (let dueAt = beginsAt; dueAt < endsAt;) {
    await sleep(tickMs);
    for (const now = Math.min(log.now(), endsAt); dueAt < now; dueAt += distanceMs) send(dueAt);
    if (log.now() >= endsAt) return;
  }
}

async function byCallers(callers: number, endsAt: number, log: RequestLog, send: Send): Promise<void> {
  const again = (): void => {
    if (log.now() < endsAt) send(log.now(), again);
  };
  for (let n = 0; n < callers; n++) again();
  await sleep(endsAt - log.now());
}

class RequestLog {
  open = 0;
  private readonly startedAt = performance.now();
  private readonly dueAt: number[] = [];
  private readonly tookMs: number[] = [];
  private readonly outcomes: number[] = [];

  now(): number {
    return performance.now() - this.startedAt;
  }

  begin(dueAt: number): number {
    this.open += 1;
    this.dueAt.push(dueAt);
    this.tookMs.push(timeoutMs);
    return this.outcomes.push(0) - 1;
  }

  end(at: number, outcome: Outcome): void {
    this.open -= 1;
    this.outcomes[at] = outcome;
    this.tookMs[at] = this.now() - this.dueAt[at]!;
  }

  lists() {
    return {
      dueAt: Float64Array.from(this.dueAt),
      tookMs: Float64Array.from(this.tookMs),
      outcomes: Int16Array.from(this.outcomes),
    };
  }
}
