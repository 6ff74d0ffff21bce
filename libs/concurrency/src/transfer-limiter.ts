const tickMs = 500;

/**
 * An upload or download that needs a permit, with its average rate. Time is counted in ticks, not
 * by a clock: after a stall of the process, bytes that have arrived are read before the next tick.
 */
export class Transfer {
  private readonly controller = new AbortController();
  private bytes = 0;
  private ticks = 0;
  private isIncomplete = true;

  add(bytes: number): void {
    this.bytes += bytes;
  }

  /**
   * Marks all bytes as received: from now on the transfer is not slow, however long its processing
   * takes.
   */
  complete(): void {
    this.isIncomplete = false;
  }

  /** Counts `tickMs`. */
  tick(): void {
    this.ticks += 1;
  }

  /** Average rate in bytes per second over the counted ticks; infinite for a complete transfer. */
  get rate(): number {
    return this.isIncomplete ? this.bytes / ((this.ticks * tickMs) / 1_000) : Infinity;
  }

  /** Returns whether the transfer is incomplete and its counted ticks exceed `ms`. */
  isOlderThan(ms: number): boolean {
    return this.isIncomplete && this.ticks * tickMs > ms;
  }

  /** Aborted with the reason that was passed to `abort`. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: Error): void {
    this.controller.abort(reason);
  }
}

/** Returns the key that a limit applies to, for example the user or the address of a transfer. */
type TransferKey<T> = (transfer: T) => unknown;

export interface TransferLimiterOptions<T> {
  readonly permits: number;
  readonly maxWaiting: number;
  readonly timeoutMs: number;
  /** Limits of the transfers with the same key. */
  readonly shares: readonly { readonly by: TransferKey<T>; readonly permits: number; readonly maxWaiting: number }[];
  /**
   * A free permit is given to the key with the fewest permits. When the queue is full, the last
   * transfer of the key with the most waiting transfers is rejected.
   */
  readonly fairBy: TransferKey<T>;
  /**
   * Time after which a transfer that is slower than `bytesPerSecond` on average is aborted, with or
   * without others waiting.
   */
  readonly graceMs: number;
  readonly bytesPerSecond: number;
  /**
   * Minimum time of a permit while others wait. After it, the slowest transfer below
   * `contestedBytesPerSecond` is aborted for each waiting transfer below the limits of its keys.
   */
  readonly contestedGraceMs: number;
  readonly contestedBytesPerSecond: number;
  /**
   * Returns whether `transfer`, which has a permit, has more than its share of the permits. Such a
   * transfer is aborted for the waiting transfer `next` after `contestedGraceMs`, whatever its
   * rate, and before slower transfers below their share.
   */
  readonly isAboveShare?: (transfer: T, next: T) => boolean;
  readonly tooSlow: () => Error;
  readonly overloaded: () => Error;
}

/**
 * Concurrency limit of transfers, with a queue. The transfers of one key, for example of a user,
 * get only a part of the permits. Transfers below a minimum average rate are aborted, so that slow
 * ones do not occupy the permits. The minimum is higher while others wait.
 */
export class TransferLimiter<T extends Transfer> {
  private readonly open = new Set<T>();
  /**
   * Waiting transfers in the order of arrival. Their timeout is counted in ticks, too, so that a
   * slow transfer is aborted before the transfer that waits for it is rejected.
   */
  private readonly waiting = new Map<T, { ticks: number; readonly enter: () => void }>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: TransferLimiterOptions<T>) {}

  /**
   * Waits for a permit, which is released when the transfer is aborted.
   *
   * @throws the reason with which the transfer is aborted while it waits: `overloaded` when the
   *   queue is full, after `timeoutMs` or on `release`
   */
  acquire(transfer: T): Promise<void> {
    return new Promise((enter, reject) => {
      const end = (): void => {
        this.release(transfer);
        reject(transfer.signal.reason as Error);
      };
      transfer.signal.addEventListener('abort', end, { once: true });
      this.waiting.set(transfer, { ticks: 0, enter });
      this.admit();
      this.excess(transfer)?.abort(this.options.overloaded());
    });
  }

  /**
   * Releases the permit and admits the next transfer. A transfer that still waits is aborted. The
   * call has no effect for a transfer that neither waits nor has a permit.
   */
  release(transfer: T): void {
    if (this.waiting.delete(transfer)) transfer.abort(this.options.overloaded());
    if (!this.open.delete(transfer)) return;
    this.admit();
    if (this.open.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Returns the number of permits of the transfer's key. */
  permitsOf(transfer: T, by: TransferKey<T>): number {
    return countOf(transfer, by, this.open);
  }

  private admit(): void {
    for (let next = this.next(); next && this.open.size < this.options.permits; next = this.next()) {
      this.open.add(next);
      this.waiting.get(next)!.enter();
      this.waiting.delete(next);
      this.timer ??= setInterval(() => setImmediate(() => this.tick()), tickMs).unref();
    }
  }

  /**
   * Returns the waiting transfer below its limits whose key has the fewest permits; among several,
   * the one that has waited longest.
   */
  private next(): T | undefined {
    const { shares, fairBy } = this.options;
    return [...this.waiting.keys()]
      .filter((it) => shares.every(({ by, permits }) => this.permitsOf(it, by) < permits))
      .sort((one, other) => this.permitsOf(one, fairBy) - this.permitsOf(other, fairBy))[0];
  }

  /** Returns the transfer to reject when the newcomer makes the queue too long. */
  private excess(newcomer: T): T | undefined {
    const { shares, fairBy, maxWaiting } = this.options;
    const all = [...this.waiting.keys()];
    if (shares.some((share) => countOf(newcomer, share.by, all) > share.maxWaiting)) return newcomer;
    if (all.length <= maxWaiting) return undefined;
    const most = (it: T): number => countOf(it, fairBy, all);
    return all.reduce((last, it) => (most(it) >= most(last) ? it : last));
  }

  private tick(): void {
    for (const transfer of this.open) transfer.tick();
    this.abortSlow();
    for (const [transfer, waiting] of this.waiting) {
      waiting.ticks += 1;
      if (waiting.ticks * tickMs >= this.options.timeoutMs) transfer.abort(this.options.overloaded());
    }
  }

  private abortSlow(): void {
    const { graceMs, bytesPerSecond, tooSlow, overloaded } = this.options;
    for (const transfer of this.open)
      if (transfer.isOlderThan(graceMs) && transfer.rate < bytesPerSecond) transfer.abort(tooSlow());
    for (let next = this.next(); next; next = this.next()) {
      const slowest = this.slowestFor(next);
      if (!slowest) return;
      slowest.abort(overloaded());
    }
  }

  /**
   * Returns the transfer to abort for the next one, or undefined when none is too slow or above its
   * share.
   */
  private slowestFor(next: T): T | undefined {
    const { contestedGraceMs, contestedBytesPerSecond, isAboveShare } = this.options;
    const bySpeed = [...this.open]
      .filter((transfer) => transfer.isOlderThan(contestedGraceMs))
      .sort((one, other) => one.rate - other.rate);
    return (
      bySpeed.find((transfer) => isAboveShare?.(transfer, next)) ??
      bySpeed.find((transfer) => transfer.rate < contestedBytesPerSecond)
    );
  }
}

const countOf = <T>(transfer: T, by: TransferKey<T>, all: Iterable<T>): number =>
  [...all].filter((it) => by(it) === by(transfer)).length;
