import { AsyncResource } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { StoredResponse } from '#idempotency';
import { DomainError } from '#kernel';
import { currentCall, runShared } from '#request-queue';
import { isOutage, tooManyFavorites } from './favorite.errors.js';
import { FavoriteGroupBatcher, maxBatchSize } from './favorite-group.batcher.js';
import { FavoriteRepository } from './favorite.repository.js';
import type { Addition } from './place-favorite.queries.js';

/** Write that waits for the write in flight of its product. */
interface Write {
  /** Undefined for a write that is not batched. */
  readonly addition?: Addition;
  /** Executes the batch whose oldest write is this one. Never rejects. */
  readonly execute: (batch: readonly Write[]) => Promise<void>;
  readonly resolve: (response: StoredResponse) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes that wait for the write in flight of their product, each with the function that removes
 * the listener for its caller's deadline.
 */
type WaitingWrites = Map<Write, () => void>;

/**
 * Batcher of favorites: runs one write at a time for each product in this process.
 *
 * - Additions to products without a write in flight are committed together by
 *   `FavoriteGroupBatcher`.
 * - Up to 50 additions that wait for the write in flight of their product are committed together,
 *   so that the throughput of a popular product is not limited to one addition per commit. The
 *   writes of a product use one connection of the pool.
 */
@Injectable()
export class FavoriteBatcher {
  private readonly waiting = new Map<number, WaitingWrites>();
  private readonly group: FavoriteGroupBatcher;

  constructor(private readonly favorites: FavoriteRepository) {
    this.group = new FavoriteGroupBatcher(favorites);
  }

  /**
   * Adds favorites, batched with other additions.
   *
   * @throws DomainError product.not-found, user.not-found; service.overloaded when the caller's
   *   deadline passes while the write waits, and nothing was written
   */
  add(addition: Addition): Promise<StoredResponse> {
    const { productId } = addition.favorite;
    const waiting = this.waiting.get(productId);
    if (!waiting) return this.runNow(productId, () => this.group.add(addition));
    return new Promise((resolve, reject) => {
      // The deadline of one caller must not apply to the others of the batch
      const commit = (batch: readonly Write[]): Promise<void> => runShared(() => this.commit(batch));
      enqueue(waiting, { addition, execute: AsyncResource.bind(commit), resolve, reject });
    });
  }

  /**
   * Runs an unbatched write of a product, after all writes that already wait for the product.
   *
   * @throws DomainError service.overloaded, as `add` does; every error of `write`
   */
  runAlone<Result>(productId: number, write: () => Promise<Result>): Promise<Result> {
    const waiting = this.waiting.get(productId);
    if (!waiting) return this.runNow(productId, write);
    return new Promise((resolve, reject) => {
      const execute = AsyncResource.bind(() => write().then(resolve, reject));
      enqueue(waiting, { execute, resolve: () => undefined, reject });
    });
  }

  private async runNow<Result>(productId: number, write: () => Promise<Result>): Promise<Result> {
    const waiting: WaitingWrites = new Map();
    this.waiting.set(productId, waiting);
    try {
      return await write();
    } finally {
      void this.drain(productId, waiting);
    }
  }

  private async drain(productId: number, waiting: WaitingWrites): Promise<void> {
    for (let [first] = waiting.keys(); first; [first] = waiting.keys()) {
      const batch = first.addition ? batchOf(waiting.keys()) : [first];
      for (const write of batch) {
        waiting.get(write)!();
        waiting.delete(write);
      }
      await first.execute(batch);
    }
    this.waiting.delete(productId);
  }

  private async commit(batch: readonly Write[]): Promise<void> {
    try {
      const results = await this.favorites.place(batch.map(({ addition }) => addition!));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index]!;
        if (result instanceof DomainError) reject(result);
        else resolve(result);
      }
    } catch (error) {
      // One write caused the rollback: the others succeed when each is committed separately
      if (batch.length > 1 && !isOutage(error)) for (const write of batch) await this.commit([write]);
      else for (const { reject } of batch) reject(error);
    }
  }
}

function enqueue(waiting: WaitingWrites, write: Write): void {
  const signal = currentCall()?.signal;
  const expire = (): void => {
    waiting.delete(write);
    write.reject(tooManyFavorites());
  };
  if (signal?.aborted) {
    expire();
    return;
  }
  signal?.addEventListener('abort', expire, { once: true });
  // A signal with a listener is not garbage-collected before its timeout
  waiting.set(write, () => signal?.removeEventListener('abort', expire));
}

/**
 * Returns the oldest additions that one statement can execute: one of each user, because a
 * statement may change a row only once. Sorted by user id, so that batches do not deadlock.
 */
function batchOf(waiting: Iterable<Write>): Write[] {
  const writesByUser = new Map<number, Write>();
  for (const write of waiting) {
    const userId = write.addition?.favorite.userId;
    if (userId !== undefined && !writesByUser.has(userId)) writesByUser.set(userId, write);
    if (writesByUser.size === maxBatchSize) break;
  }
  return [...writesByUser].sort(([a], [b]) => a - b).map(([, write]) => write);
}
