import { Logger } from '@nestjs/common';
import { Coalescer } from '#concurrency';
import { problems } from '#contracts';
import type { StoredResponse } from '#idempotency';
import { DomainError } from '#kernel';
import { violatedConstraint } from '#persistence';
import { currentCall, runShared } from '#request-queue';
import { isOutage, tooManyFavorites } from './favorite.errors.js';
import type { FavoriteRepository } from './favorite.repository.js';
import type { Addition } from './place-favorite.queries.js';

/** Largest number of additions in a batch, which locks all its users until it is committed. */
export const maxBatchSize = 50;
/**
 * Time after which the next commit starts without waiting for the one in flight, which may wait for
 * a lock or a slow disk.
 */
const maxWaitMs = 25;

/** Outcome of an addition; undefined when it must be placed alone. */
type Outcome = StoredResponse | DomainError | undefined;

interface Arrival {
  readonly addition: Addition;
  /** Aborted when the caller's deadline passes. */
  readonly signal: AbortSignal | undefined;
  readonly resolve: (outcome: Outcome) => void;
}

/**
 * Batcher of favorites on different products, none of which has another write in flight in this
 * process. Additions that arrive in one tick, or while such additions are committed, share the next
 * statement and commit. It omits products and users that another transaction has locked, products
 * without a counter, and invalid additions. Those are placed alone, as are all additions after an
 * error that one of them may have caused.
 */
export class FavoriteGroupBatcher {
  private readonly arrivals: Coalescer<Arrival, void>;
  private readonly log = new Logger('FavoriteGroupBatcher');

  constructor(private readonly favorites: Pick<FavoriteRepository, 'place' | 'placeUnlocked'>) {
    const options = { timeoutMs: maxWaitMs, maxConcurrent: Infinity };
    this.arrivals = new Coalescer((arrivals) => this.commitArrivals(arrivals), options);
  }

  /**
   * Adds favorites to a product without another addition in this batcher.
   *
   * @throws DomainError product.not-found, user.not-found; service.overloaded when the caller's
   *   deadline has passed before the commit started, and nothing was written
   */
  async add(addition: Addition): Promise<StoredResponse> {
    const signal = currentCall()?.signal;
    const shared = await new Promise<Outcome>((resolve, reject) => {
      this.arrivals.request({ addition, signal, resolve }).catch(reject);
    });
    if (!shared && signal?.aborted) throw tooManyFavorites();
    const outcome = shared ?? (await this.favorites.place([addition]))[0]!;
    if (outcome instanceof DomainError) throw outcome;
    return outcome;
  }

  private async commitArrivals(arrivals: readonly Arrival[]): Promise<void> {
    for (let first = 0; first < arrivals.length; first += maxBatchSize) {
      const batch = withoutExpired(arrivals.slice(first, first + maxBatchSize));
      if (batch.length === 0) continue;
      const additions = batch.map(({ addition }) => addition);
      // One addition costs half as much as in `placeUnlocked`, and may wait for its locks
      const isAlone = arrivals.length === 1;
      const outcomes = isAlone ? await this.favorites.place(additions) : await this.placeUnlocked(additions);
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index]);
    }
  }

  private async placeUnlocked(additions: readonly Addition[]): Promise<Outcome[]> {
    try {
      // The deadline of one caller must not apply to the others
      return await runShared(() => this.favorites.placeUnlocked(additions));
    } catch (error) {
      // A time limit of the server may be over because of one addition, for example because its
      // idempotency key is locked
      if (isOutage(error) && error.kind !== problems['service.overloaded']) return additions.map(() => error);
      const isOfOneAddition = error instanceof DomainError ? !isOutage(error) : violatedConstraint(error) !== undefined;
      if (!isOfOneAddition)
        this.log.warn(`Placing ${additions.length} favorites together failed, placing each alone: ${String(error)}`);
      return additions.map(() => undefined);
    }
  }
}

/** Resolves the arrivals whose deadline has passed. @returns the others */
function withoutExpired(arrivals: readonly Arrival[]): Arrival[] {
  return arrivals.filter(({ signal, resolve }) => {
    if (signal?.aborted) resolve(undefined);
    return !signal?.aborted;
  });
}
