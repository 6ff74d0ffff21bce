import { AsyncResource } from 'node:async_hooks';
import type { KeptReply } from '#idempotency';
import { DomainError } from '#kernel';
import { currentCall, runShared } from '#request-queue';
import { tooManyFavorites } from './favorite.errors.js';
import { type Addition, type FavoriteRepository } from './favorite.repository.js';

/** A batch holds the locks of all its users until it is committed. */
const maxBatch = 50;
/** A commit that takes longer waits for a lock or for a server that is away; 64 times what a commit takes on a slow disk. */
const maxCommitMs = 500;

/** A write that waits for the one in flight of its product. */
interface Write {
  /** Undefined for a write that is carried out alone. */
  readonly addition?: Addition;
  /** Carries out a batch that begins with this write. Never rejects. */
  readonly carryOut: (batch: readonly Write[]) => Promise<void>;
  readonly settle: (end: KeptReply) => void;
  readonly fail: (error: unknown) => void;
}

/** The writes of a product that wait while one is in flight. */
interface Queue {
  /** Each with what ends the wait for its caller's deadline. */
  readonly waiting: Map<Write, () => void>;
  /** When the write in flight began, by `performance.now()`. */
  since: number;
  timer?: NodeJS.Timeout | undefined;
}

/**
 * Favorites that are added to a product or withdrawn, one write at a time for each product in this process. All favorites
 * that wait are added with the next commit, so that the rate of a popular product does not depend on the time of a commit,
 * and it takes one connection of the pool.
 *
 * What waits occupies slots of the process. While a write of a product takes longer than a commit does, as many others of it
 * may wait as slots are left, one popular product in half of them (a dynamic threshold, as in switches that share a
 * buffer). Those beyond that are rejected, so that a locked counter does not hold up reads and other products.
 */
export class FavoriteBatches {
  private readonly queues = new Map<number, Queue>();
  /** Of all products. */
  private waiting = 0;

  /** @param slots requests that the process works on at once */
  constructor(
    private readonly favorites: FavoriteRepository,
    private readonly slots: number,
  ) {}

  /**
   * Adds favorites, together with others of the product.
   *
   * @throws DomainError product.not-found, user.not-found; service.overloaded when the caller's deadline passes before, or
   *   too many wait for a product whose write does not end: nothing was written
   */
  add(addition: Addition): Promise<KeptReply> {
    const { productId } = addition.favorite;
    const queue = this.queues.get(productId);
    if (!queue) return this.first(productId, async () => orThrow((await this.favorites.place([addition]))[0]!));
    return new Promise((settle, fail) => {
      // One's own deadline is none for the others of the batch
      const commit = (batch: readonly Write[]): Promise<void> => runShared(() => this.commit(batch));
      this.wait(queue, { addition, carryOut: AsyncResource.bind(commit), settle, fail });
    });
  }

  /**
   * Carries out another write of a product.
   *
   * @throws DomainError service.overloaded as `add`
   */
  alone<Result>(productId: number, write: () => Promise<Result>): Promise<Result> {
    const queue = this.queues.get(productId);
    if (!queue) return this.first(productId, write);
    return new Promise((resolve, fail) => {
      const carryOut = AsyncResource.bind(() => write().then(resolve, fail));
      this.wait(queue, { carryOut, settle: () => undefined, fail });
    });
  }

  private async first<Result>(productId: number, write: () => Promise<Result>): Promise<Result> {
    const queue: Queue = { waiting: new Map(), since: performance.now() };
    this.queues.set(productId, queue);
    try {
      return await write();
    } finally {
      void this.drain(productId, queue);
    }
  }

  private wait(queue: Queue, write: Write): void {
    const signal = currentCall()?.signal;
    const expire = (): void => this.reject(queue, write);
    // A signal with a listener stays in memory until its time is over
    queue.waiting.set(write, () => signal?.removeEventListener('abort', expire));
    this.waiting += 1;
    signal?.addEventListener('abort', expire, { once: true });
    if (signal?.aborted) expire();
    else if (this.isBeyondShare(queue)) this.rejectWhenStuck(queue);
  }

  private take(queue: Queue, write: Write): void {
    queue.waiting.get(write)!();
    queue.waiting.delete(write);
    this.waiting -= 1;
  }

  private reject(queue: Queue, write: Write): void {
    this.take(queue, write);
    write.fail(tooManyFavorites());
  }

  private isBeyondShare({ waiting }: Queue): boolean {
    return waiting.size > this.slots - this.waiting;
  }

  /** Rejects the newest writes beyond the share, or waits until the one in flight takes too long. */
  private rejectWhenStuck(queue: Queue): void {
    const leftMs = queue.since + maxCommitMs - performance.now();
    if (leftMs > 0) {
      // After a process stood still, its timers come before what there is to read
      queue.timer ??= setTimeout(() => setImmediate(() => this.rejectLate(queue)), leftMs);
      return;
    }
    const newest = [...queue.waiting.keys()].reverse();
    for (const write of newest) if (this.isBeyondShare(queue)) this.reject(queue, write);
  }

  private rejectLate(queue: Queue): void {
    delete queue.timer;
    if (this.isBeyondShare(queue)) this.rejectWhenStuck(queue);
  }

  private async drain(productId: number, queue: Queue): Promise<void> {
    const { waiting } = queue;
    for (let [first] = waiting.keys(); first; [first] = waiting.keys()) {
      const batch = first.addition ? batchOf(waiting.keys()) : [first];
      for (const one of batch) this.take(queue, one);
      queue.since = performance.now();
      await first.carryOut(batch);
    }
    clearTimeout(queue.timer);
    this.queues.delete(productId);
  }

  private async commit(batch: readonly Write[]): Promise<void> {
    try {
      const ends = await this.favorites.place(batch.map(({ addition }) => addition!));
      for (const [index, { settle, fail }] of batch.entries()) {
        const end = ends[index]!;
        if (end instanceof DomainError) fail(end);
        else settle(end);
      }
    } catch (error) {
      const isOutage = error instanceof DomainError && error.status >= 500;
      // The transaction was rolled back because of one of them
      if (batch.length > 1 && !isOutage) for (const one of batch) await this.commit([one]);
      else for (const { fail } of batch) fail(error);
    }
  }
}

function orThrow(end: KeptReply | DomainError): KeptReply {
  if (end instanceof DomainError) throw end;
  return end;
}

/**
 * The oldest additions that fit into one statement, which changes a row once: one of each user. In the order of users, so
 * that no two batches wait for each other's.
 */
function batchOf(waiting: Iterable<Write>): Write[] {
  const ofUsers = new Map<number, Write>();
  for (const write of waiting) {
    const userId = write.addition?.favorite.userId;
    if (userId !== undefined && !ofUsers.has(userId)) ofUsers.set(userId, write);
    if (ofUsers.size === maxBatch) break;
  }
  return [...ofUsers].sort(([a], [b]) => a - b).map(([, write]) => write);
}
