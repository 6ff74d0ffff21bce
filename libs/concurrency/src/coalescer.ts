import { AsyncLocalStorage } from 'node:async_hooks';
import { type Deferred, deferred } from './deferred.js';

/** Requests that share one operation, and its result. */
interface Batch<Request, Result> {
  readonly requests: Request[];
  readonly result: Deferred<Result>;
  /** Runs a function in the context of the first request, instead of that of an earlier batch. */
  readonly inContext: <Value>(run: () => Value) => Value;
}

interface CoalescerOptions {
  /**
   * The next operation starts after this time without waiting for the current one, which may be
   * stuck.
   */
  readonly timeoutMs: number;
  /** Limit of operations in flight, stuck ones included. */
  readonly maxConcurrent: number;
}

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

  /** @param operation is called with the requests that share it */
  constructor(
    private readonly operation: (requests: readonly Request[]) => Promise<Result>,
    private readonly options: CoalescerOptions,
  ) {}

  request(request: Request): Promise<Result> {
    const batch = (this.waiting ??= this.newBatch());
    batch.requests.push(request);
    return batch.result.promise;
  }

  private newBatch(): Batch<Request, Result> {
    // Started at the end of the tick, so that all requests of the same tick share the operation
    setImmediate(() => this.startNext());
    return { requests: [], result: deferred(), inContext: AsyncLocalStorage.snapshot() };
  }

  private startNext(): void {
    const batch = this.waiting;
    if (!batch || this.current || this.inFlight === this.options.maxConcurrent) return;
    this.waiting = undefined;
    this.current = batch;
    this.inFlight += 1;
    const timer = setTimeout(() => this.stopWaitingFor(batch), this.options.timeoutMs);
    const end = (): void => {
      clearTimeout(timer);
      this.inFlight -= 1;
      this.stopWaitingFor(batch);
    };
    const operation = batch.inContext(() => this.operation(batch.requests));
    void operation.then(batch.result.resolve, batch.result.reject).then(end);
  }

  /** Allows the next operation to start without waiting for that of `batch`. */
  private stopWaitingFor(batch: Batch<Request, Result>): void {
    if (this.current === batch) this.current = undefined;
    this.startNext();
  }
}
