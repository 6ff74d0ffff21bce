import { currentCall } from '#request-queue';
import { tooManyFavorites } from './favorite.errors.js';

/**
 * Time after which a product's writes count as stuck if none of them ends, for example because of a
 * lock or an unavailable server: 64 times the duration of a commit on a slow disk.
 */
const maxCommitMs = 500;

/**
 * Share of the slots reserved for reads and for other products when writes overload the process; a
 * read takes some milliseconds.
 */
const reservedShare = 1 / 8;
/** Time for which a burst may use all slots. */
const maxBurstMs = 500;
/**
 * Time for which the reserved slots stay free after a longer burst. Each write that is rejected for
 * lack of unreserved slots restarts this time.
 */
const overloadedMs = 5_000;

/** Admitted writes of a product, and those that wait for one of them to end. */
interface Writes {
  inFlight: number;
  readonly waiting: Set<{ readonly admit: () => void; readonly reject: (error: Error) => void }>;
  /** True when a write has waited for `maxCommitMs` since the last one ended. */
  isStuck: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * Admission control of writes that lock the counter of a product (a dynamic threshold, as in
 * switches that share a buffer): a product may have as many writes in flight as the process has
 * slots without writes. One popular product thus gets half of the slots. A write beyond that waits
 * in its slot while others of the product are committed, and is rejected when none ends within 500
 * ms. When writes arrive faster than they are committed for 500 ms, an eighth of the slots is
 * reserved for other requests. A burst therefore succeeds, and neither a locked counter nor slow
 * commits hold up reads and other products.
 */
export class ProductWriteLimiter {
  private readonly products = new Map<number, Writes>();
  private total = 0;
  private waiting = 0;
  /** Time at which writes began to use the reserved slots; undefined while they do not. */
  private burstStartedAt: number | undefined;
  private overloadedUntil = 0;

  /** @param slots number of requests that the process handles concurrently */
  constructor(private readonly slots: number) {}

  /**
   * Runs a write once its product has capacity.
   *
   * @throws DomainError service.overloaded when the write is rejected without having run
   */
  async run<Result>(productId: number, write: () => Promise<Result>): Promise<Result> {
    const writes = this.products.get(productId) ?? { inFlight: 0, waiting: new Set(), isStuck: false };
    this.products.set(productId, writes);
    if (this.hasCapacity(writes)) this.add(writes, 1);
    else await this.waitForAdmission(writes);
    try {
      // A caller that has stopped waiting may retry, which would repeat the write
      if (currentCall()?.signal.aborted) throw tooManyFavorites();
      return await write();
    } finally {
      this.release(productId, writes);
    }
  }

  private hasCapacity({ inFlight }: Writes): boolean {
    return inFlight === 0 || inFlight < this.slots - this.total;
  }

  private add(writes: Writes, change: number): void {
    writes.inFlight += change;
    this.total += change;
  }

  private waitForAdmission(writes: Writes): Promise<void> {
    if (writes.isStuck || this.isOverloaded()) throw tooManyFavorites();
    this.waiting += 1;
    if (!writes.timer) this.startTimer(writes);
    return new Promise((admit, reject) => writes.waiting.add({ admit, reject }));
  }

  private startTimer(writes: Writes): void {
    clearTimeout(writes.timer);
    const timer = setTimeout(() => {
      // After the event loop was blocked, timers run before replies of PostgreSQL that have arrived
      setImmediate(() => {
        if (writes.timer === timer) this.rejectWaiting(writes);
      });
    }, maxCommitMs);
    writes.timer = timer;
  }

  /** Releases the capacity of a write and admits the write that has waited longest. */
  private release(productId: number, writes: Writes): void {
    this.add(writes, -1);
    writes.isStuck = false;
    const [next] = writes.waiting;
    if (next && this.hasCapacity(writes)) {
      writes.waiting.delete(next);
      this.waiting -= 1;
      this.add(writes, 1);
      next.admit();
    }
    this.noteEndOfBurst();
    if (writes.waiting.size > 0) {
      this.startTimer(writes);
      return;
    }
    clearTimeout(writes.timer);
    delete writes.timer;
    if (writes.inFlight === 0) this.products.delete(productId);
  }

  private rejectWaiting(writes: Writes): void {
    writes.isStuck = true;
    delete writes.timer;
    for (const { reject } of writes.waiting) reject(tooManyFavorites());
    this.waiting -= writes.waiting.size;
    writes.waiting.clear();
    this.noteEndOfBurst();
  }

  private noteEndOfBurst(): void {
    if (!this.usesReserved()) this.burstStartedAt = undefined;
  }

  private usesReserved(): boolean {
    return this.total + this.waiting >= this.slots * (1 - reservedShare);
  }

  private isOverloaded(): boolean {
    if (!this.usesReserved()) return false;
    const now = performance.now();
    this.burstStartedAt ??= now;
    if (now >= this.overloadedUntil && now - this.burstStartedAt < maxBurstMs) return false;
    this.overloadedUntil = now + overloadedMs;
    return true;
  }
}
