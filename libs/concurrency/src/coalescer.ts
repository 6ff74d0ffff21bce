import { type Deferred, deferred } from './deferred.js';

/** Requests that share one operation. */
interface Batch<Request, Result> {
  readonly requests: Request[];
  readonly result: Deferred<Result>;
}

interface CoalescerOptions {
  /** An operation that takes longer is not waited for by the next one: it may be stuck. */
  readonly timeoutMs: number;
  /** Operations in flight, the stuck ones among them. */
  readonly maxConcurrent: number;
}

/**
 * Coalesces requests into shared operations. A request never joins an operation that has begun: those that come while one is
 * in flight share the next one. So each operation sees all that was committed before any of its requests.
 */
export class Coalescer<Request, Result> {
  private waiting: Batch<Request, Result> | undefined;
  /** The operation that the next one waits for. */
  private current: Batch<Request, Result> | undefined;
  private inFlight = 0;

  /** @param operation gets the requests that share it */
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
    // At the end of the tick, so that all requests of the same tick share the operation
    setImmediate(() => this.startNext());
    return { requests: [], result: deferred() };
  }

  private startNext(): void {
    const batch = this.waiting;
    if (!batch || this.current || this.inFlight === this.options.maxConcurrent) return;
    this.waiting = undefined;
    this.current = batch;
    this.inFlight += 1;
    const timer = setTimeout(() => this.passOver(batch), this.options.timeoutMs);
    const end = (): void => {
      clearTimeout(timer);
      this.inFlight -= 1;
      this.passOver(batch);
    };
    void this.operation(batch.requests).then(batch.result.resolve, batch.result.reject).then(end);
  }

  /** The next operation waits for this one no longer. */
  private passOver(batch: Batch<Request, Result>): void {
    if (this.current === batch) this.current = undefined;
    this.startNext();
  }
}
