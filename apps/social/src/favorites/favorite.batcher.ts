import { AsyncResource } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { StoredResponse } from '#idempotency';
import { DomainError } from '#kernel';
import { currentCall, runShared } from '#request-queue';
import { tooManyFavorites } from './favorite.errors.js';
import { type Addition, FavoriteRepository } from './favorite.repository.js';

/** A batch holds the locks of all its users until it is committed. */
const maxBatch = 50;

/** A write that waits for the one in flight of its product. */
interface Write {
  /** Undefined for a write that is carried out alone. */
  readonly addition?: Addition;
  /** Carries out a batch that begins with this write. Never rejects. */
  readonly carryOut: (batch: readonly Write[]) => Promise<void>;
  readonly settle: (end: StoredResponse) => void;
  readonly fail: (error: unknown) => void;
}

/** Writes that wait for the one in flight of their product, each with what ends the wait for its caller's deadline. */
type Waiting = Map<Write, () => void>;

/**
 * Favorites that are added to a product or withdrawn, one write at a time for each product in this process. All favorites
 * that wait are added with the next commit, so that the rate of a popular product does not depend on the time of a commit,
 * and it takes one connection of the pool.
 */
@Injectable()
export class FavoriteBatcher {
  private readonly waiting = new Map<number, Waiting>();

  constructor(private readonly favorites: FavoriteRepository) {}

  /**
   * Adds favorites, together with others of the product.
   *
   * @throws DomainError product.not-found, user.not-found; service.overloaded when the caller's deadline passes before that:
   *   nothing was written
   */
  add(addition: Addition): Promise<StoredResponse> {
    const { productId } = addition.favorite;
    const waiting = this.waiting.get(productId);
    if (!waiting) return this.begin(productId, async () => orThrow((await this.favorites.place([addition]))[0]!));
    return new Promise((settle, fail) => {
      // One's own deadline is none for the others of the batch
      const commit = (batch: readonly Write[]): Promise<void> => runShared(() => this.commit(batch));
      enqueue(waiting, { addition, carryOut: AsyncResource.bind(commit), settle, fail });
    });
  }

  /**
   * Carries out another write of a product.
   *
   * @throws DomainError service.overloaded as `add`
   */
  alone<Result>(productId: number, write: () => Promise<Result>): Promise<Result> {
    const waiting = this.waiting.get(productId);
    if (!waiting) return this.begin(productId, write);
    return new Promise((resolve, fail) => {
      const carryOut = AsyncResource.bind(() => write().then(resolve, fail));
      enqueue(waiting, { carryOut, settle: () => undefined, fail });
    });
  }

  private async begin<Result>(productId: number, write: () => Promise<Result>): Promise<Result> {
    const waiting: Waiting = new Map();
    this.waiting.set(productId, waiting);
    try {
      return await write();
    } finally {
      void this.drain(productId, waiting);
    }
  }

  private async drain(productId: number, waiting: Waiting): Promise<void> {
    for (let [first] = waiting.keys(); first; [first] = waiting.keys()) {
      const batch = first.addition ? batchOf(waiting.keys()) : [first];
      for (const one of batch) {
        waiting.get(one)!();
        waiting.delete(one);
      }
      await first.carryOut(batch);
    }
    this.waiting.delete(productId);
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

function orThrow(end: StoredResponse | DomainError): StoredResponse {
  if (end instanceof DomainError) throw end;
  return end;
}

function enqueue(waiting: Waiting, write: Write): void {
  const signal = currentCall()?.signal;
  const expire = (): void => {
    waiting.delete(write);
    write.fail(tooManyFavorites());
  };
  if (signal?.aborted) {
    expire();
    return;
  }
  signal?.addEventListener('abort', expire, { once: true });
  // A signal with a listener stays in memory until its time is over
  waiting.set(write, () => signal?.removeEventListener('abort', expire));
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
