import { currentCall } from '#request-queue';
import { tooManyFavorites } from './favorite.errors.js';

/** A commit that takes longer waits for a lock or for a server that is away; 64 times what a commit takes on a slow disk. */
const maxCommitMs = 500;

/** Of the slots, what writes of popular products leave to reads and to other products: a read takes some milliseconds. */
const reservedShare = 1 / 8;
/** How long a burst may take all slots. After a longer one the reserved slots are left free until none was wanted for 5 s. */
const maxBurstMs = 500;
const overloadedMs = 5_000;

/** The writes of a product that have been admitted, and those that wait for one of them to end. */
interface Writes {
  inFlight: number;
  readonly waiting: Set<{ readonly admit: () => void; readonly reject: (error: Error) => void }>;
  /** Since the last write that ended, one has waited for longer than a commit takes. */
  isStuck: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * Admission control of writes that lock the counter of a product (a dynamic threshold, as in switches that share a buffer):
 * a product may have as many writes in flight as slots of the process are left. One popular product gets half of the
 * slots. A write beyond that waits in its slot while others of the product are committed, and is rejected when none ends
 * within 500 ms. Where more writes come than are committed, an eighth of the slots is left to other requests after 500 ms.
 * So a burst succeeds, and neither a locked counter nor slow commits hold up reads and other products.
 */
export class ProductWriteLimit {
  private readonly products = new Map<number, Writes>();
  private total = 0;
  private waiting = 0;
  /** When writes took the reserved slots, too; undefined while they do not. */
  private burstBegan: number | undefined;
  private overloadedUntil = 0;

  /** @param slots requests that the process works on at once */
  constructor(private readonly slots: number) {}

  /**
   * Runs a write when its product has room.
   *
   * @throws DomainError service.overloaded: nothing was done
   */
  async run<Result>(productId: number, write: () => Promise<Result>): Promise<Result> {
    const writes = this.products.get(productId) ?? { inFlight: 0, waiting: new Set(), isStuck: false };
    this.products.set(productId, writes);
    if (this.hasRoom(writes)) this.add(writes, 1);
    else await this.admission(writes);
    try {
      // A caller that does not wait any more would repeat what is written for it
      if (currentCall()?.signal.aborted) throw tooManyFavorites();
      return await write();
    } finally {
      this.release(productId, writes);
    }
  }

  private hasRoom({ inFlight }: Writes): boolean {
    return inFlight === 0 || inFlight < this.slots - this.total;
  }

  private add(writes: Writes, change: number): void {
    writes.inFlight += change;
    this.total += change;
  }

  private admission(writes: Writes): Promise<void> {
    if (writes.isStuck || this.isOverloaded()) throw tooManyFavorites();
    this.waiting += 1;
    if (!writes.timer) this.startTimer(writes);
    return new Promise((admit, reject) => writes.waiting.add({ admit, reject }));
  }

  private startTimer(writes: Writes): void {
    clearTimeout(writes.timer);
    const timer = setTimeout(() => {
      // After the process stood still, timers come before replies of PostgreSQL that have arrived
      setImmediate(() => {
        if (writes.timer === timer) this.rejectWaiting(writes);
      });
    }, maxCommitMs);
    writes.timer = timer;
  }

  /** Admits the write that has waited for the longest time. */
  private release(productId: number, writes: Writes): void {
    this.add(writes, -1);
    writes.isStuck = false;
    const [next] = writes.waiting;
    if (next && this.hasRoom(writes)) {
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
    if (!this.usesReserved()) this.burstBegan = undefined;
  }

  private usesReserved(): boolean {
    return this.total + this.waiting >= this.slots * (1 - reservedShare);
  }

  private isOverloaded(): boolean {
    if (!this.usesReserved()) return false;
    const now = performance.now();
    this.burstBegan ??= now;
    if (now >= this.overloadedUntil && now - this.burstBegan < maxBurstMs) return false;
    this.overloadedUntil = now + overloadedMs;
    return true;
  }
}
