import { AsyncLocalStorage } from 'node:async_hooks';
import { type Deferred, deferred } from './deferred.js';

/** Requests that share one operation, and its result. */
interface Batch<Request, Result> {
  readonly requests: Request[];
  readonly result: Deferred<Result>;
  /** Runs a function in the context of the first request, instead of that of an earlier batch. */
  readonly inContext: <Value>(run: () => Value) => Value;
  /** Ends the wait for more requests. */
  gatherTimer?: NodeJS.Timeout;
}

interface CoalescerOptions {
  /**
   * The next operation starts after this time without waiting for the current one, which may be
   * stuck.
   */
  readonly timeoutMs: number;
  /** Limit of operations in flight, stuck ones included. */
  readonly maxConcurrent: number;
  /**
   * Time that requests wait for others while many arrive: at least `minGathered` in this time.
   * Default 0. Callers that repeat requests otherwise form two groups, each of which waits for the
   * operation of the other. With one group, a request cost a quarter less, measured at 16 callers.
   */
  readonly gatherMs?: number;
}

/** Requests that must be expected in `gatherMs`, by their mean interval, to wait for them. */
const minGathered = 4;
const maxIntervalMs = 1_000;
/** Weight of the last interval in the mean. */
const intervalWeight = 0.1;

/**
 * Coalesces requests into shared operations. Requests that arrive while an operation is in flight
 * share the next operation and never join the current one. So each operation reads all data that
 * was committed before any of its requests.
 */
export class Coalescer<Request, Result> {
  private waiting: Batch<Request, Result> | undefined;
  /** Operation that the next operation waits for. */
  private current: Batch<Request, Result> | undefined;
  private inFlight = 0;
  /** Number of requests to wait for: of the last operation, and of those that waited for it. */
  private expected = 0;
  private lastRequestAt = -Infinity;
  private meanIntervalMs = maxIntervalMs;

  /** @param operation is called with the requests that share it */
  constructor(
    private readonly operation: (requests: readonly Request[]) => Promise<Result>,
    private readonly options: CoalescerOptions,
  ) {}

  request(request: Request): Promise<Result> {
    const batch = (this.waiting ??= this.newBatch());
    batch.requests.push(request);
    if (this.options.gatherMs !== undefined) this.measureInterval();
    if (batch.gatherTimer && batch.requests.length === this.expected) this.startNext();
    return batch.result.promise;
  }

  private measureInterval(): void {
    const now = performance.now();
    const intervalMs = Math.min(now - this.lastRequestAt, maxIntervalMs);
    this.lastRequestAt = now;
    this.meanIntervalMs += intervalWeight * (intervalMs - this.meanIntervalMs);
  }

  private newBatch(): Batch<Request, Result> {
    // Started at the end of the tick, so that all requests of the same tick share the operation
    setImmediate(() => this.startNext());
    return { requests: [], result: deferred(), inContext: AsyncLocalStorage.snapshot() };
  }

  private startNext(): void {
    const batch = this.waiting;
    if (!batch || this.current || this.inFlight === this.options.maxConcurrent || this.waitForMore(batch)) return;
    this.waiting = undefined;
    this.current = batch;
    this.inFlight += 1;
    const timer = setTimeout(() => this.stopWaitingFor(batch), this.options.timeoutMs);
    const end = (): void => {
      clearTimeout(timer);
      this.inFlight -= 1;
      this.expected = batch.requests.length + (this.waiting?.requests.length ?? 0);
      this.stopWaitingFor(batch);
    };
    const operation = batch.inContext(() => this.operation(batch.requests));
    void operation.then(batch.result.resolve, batch.result.reject).then(end);
  }

  /** Has a batch wait for more requests, for `gatherMs`. Returns false if it must not wait. */
  private waitForMore(batch: Batch<Request, Result>): boolean {
    const { gatherMs = 0 } = this.options;
    if (batch.requests.length >= this.expected || this.meanIntervalMs * minGathered > gatherMs) {
      clearTimeout(batch.gatherTimer);
      return false;
    }
    batch.gatherTimer ??= setTimeout(() => {
      this.expected = 0;
      this.startNext();
    }, gatherMs);
    return true;
  }

  /** Allows the next operation to start without waiting for that of `batch`. */
  private stopWaitingFor(batch: Batch<Request, Result>): void {
    if (this.current === batch) this.current = undefined;
    this.startNext();
  }
}
