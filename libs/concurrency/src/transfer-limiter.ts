const tickMs = 500;

/**
 * A body or download that needs a permit, with its average rate. Time is counted in ticks, not by a clock: what arrived while
 * the process stood still is read before the next tick.
 */
export class Transfer {
  private readonly controller = new AbortController();
  private bytes = 0;
  private ticks = 0;
  private isArriving = true;

  add(bytes: number): void {
    this.bytes += bytes;
  }

  /** All bytes have come: it is not slow any more, however long the rest takes. */
  arrived(): void {
    this.isArriving = false;
  }

  /** Counts 500 ms. */
  tick(): void {
    this.ticks += 1;
  }

  /** In bytes per second since the beginning; infinite after the end. */
  get rate(): number {
    return this.isArriving ? this.bytes / ((this.ticks * tickMs) / 1_000) : Infinity;
  }

  /** Whether it still arrives after that time. */
  isOlderThan(ms: number): boolean {
    return this.isArriving && this.ticks * tickMs > ms;
  }

  /** Aborted with the reason when the transfer is given up. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  giveUp(reason: Error): void {
    this.controller.abort(reason);
  }
}

/** The user or the address of a transfer, for example. */
type TransferKey<T> = (transfer: T) => unknown;

export interface TransferRules<T> {
  readonly atOnce: number;
  readonly waiting: number;
  readonly waitMs: number;
  /** Limits of those with the same key. */
  readonly shares: readonly { readonly by: TransferKey<T>; readonly atOnce: number; readonly waiting: number }[];
  /** A free permit goes to the key with the fewest. When too many wait, the last one of the key with the most is rejected. */
  readonly fairBy: TransferKey<T>;
  /** How long a transfer may be slower than `bytesPerSecond` on average. Then it is given up, with or without others waiting. */
  readonly graceMs: number;
  readonly bytesPerSecond: number;
  /** Minimum time of a permit while others wait. Then the slowest transfer below the rate is given up for each of them. */
  readonly contestedGraceMs: number;
  readonly contestedBytesPerSecond: number;
  /** Whether an open transfer is given up for the next one at any rate, before the slower ones of others. */
  readonly isAboveShare?: (transfer: T, next: T) => boolean;
  readonly tooSlow: () => Error;
  readonly overloaded: () => Error;
}

/**
 * Concurrency limit of transfers; others wait for a permit. Those of one key, a user for example, have a part of the
 * permits. Transfers have a minimum average rate, a higher one while others wait, so that slow ones do not occupy them.
 */
export class TransferLimiter<T extends Transfer> {
  private readonly open = new Set<T>();
  /** In the order in which they came. They count ticks as well: none is rejected before a slow one could be given up for it. */
  private readonly waiting = new Map<T, { ticks: number; readonly enter: () => void }>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly rules: TransferRules<T>) {}

  /**
   * Waits for a permit, which is released when the transfer is given up.
   *
   * @throws the reason when the transfer is given up while it waits: `overloaded` when too many do, or for too long
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
      this.tooManyWith(transfer)?.giveUp(this.rules.overloaded());
    });
  }

  /** Lets the next one in. A transfer that still waits is given up; one without a permit changes nothing. */
  release(transfer: T): void {
    if (this.waiting.delete(transfer)) transfer.giveUp(this.rules.overloaded());
    if (!this.open.delete(transfer)) return;
    this.admit();
    if (this.open.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** How many permits there are of the transfer's key. */
  permitsOf(transfer: T, by: TransferKey<T>): number {
    return countOf(transfer, by, this.open);
  }

  private admit(): void {
    for (let next = this.next(); next && this.open.size < this.rules.atOnce; next = this.next()) {
      this.open.add(next);
      this.waiting.get(next)!.enter();
      this.waiting.delete(next);
      this.timer ??= setInterval(() => setImmediate(() => this.tick()), tickMs).unref();
    }
  }

  /** The one that may have a permit and whose key has the fewest; of several the one that has waited longest. */
  private next(): T | undefined {
    const { shares, fairBy } = this.rules;
    return [...this.waiting.keys()]
      .filter((it) => shares.every(({ by, atOnce }) => this.permitsOf(it, by) < atOnce))
      .sort((one, other) => this.permitsOf(one, fairBy) - this.permitsOf(other, fairBy))[0];
  }

  /** The one that is rejected because the newcomer waits, undefined when all of them may. */
  private tooManyWith(newcomer: T): T | undefined {
    const { shares, fairBy, waiting: limit } = this.rules;
    const all = [...this.waiting.keys()];
    if (shares.some(({ by, waiting }) => countOf(newcomer, by, all) > waiting)) return newcomer;
    if (all.length <= limit) return undefined;
    const most = (it: T): number => countOf(it, fairBy, all);
    return all.reduce((last, it) => (most(it) >= most(last) ? it : last));
  }

  private tick(): void {
    for (const transfer of this.open) transfer.tick();
    this.giveUpSlow();
    for (const [transfer, waiting] of this.waiting) {
      waiting.ticks += 1;
      if (waiting.ticks * tickMs >= this.rules.waitMs) transfer.giveUp(this.rules.overloaded());
    }
  }

  private giveUpSlow(): void {
    const { graceMs, bytesPerSecond, tooSlow, overloaded } = this.rules;
    for (const transfer of this.open)
      if (transfer.isOlderThan(graceMs) && transfer.rate < bytesPerSecond) transfer.giveUp(tooSlow());
    for (let next = this.next(); next; next = this.next()) {
      const slowest = this.slowestFor(next);
      if (!slowest) return;
      slowest.giveUp(overloaded());
    }
  }

  /** The transfer that is given up for one that waits, undefined when all have what they may have. */
  private slowestFor(next: T): T | undefined {
    const { contestedGraceMs, contestedBytesPerSecond, isAboveShare } = this.rules;
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
