import { Injectable } from '@nestjs/common';
import type { Favorite, FavoriteCreateResponse } from '#contracts';
import { insertOfEvent, metadataOfCall } from '#events';
import type { StoredResponse } from '#idempotency';
import { DomainError } from '#kernel';
import { Database, type Run, userDeleted } from '#persistence';
import { RawReply } from '#request-queue';
import type { z } from 'zod';
import { productNotFound } from '../products/product.errors.js';
import { favoriteNotFound } from './favorite.errors.js';
import { type Addition, placeOnProduct, placeOnUnlockedProducts } from './place-favorite.queries.js';
import { ProductFavoritesEntity } from './product-favorites.entity.js';

type PlacedResponse = z.output<typeof FavoriteCreateResponse>;
type PlacedRow = PlacedResponse['favorite'] & PlacedResponse['meta'];
type Placed = { userId: number; userExists: boolean } & (PlacedRow | { id: null });

/** Executes additions. @returns the outcome of each */
type Place<Outcome> = (run: Run, additions: readonly Addition[]) => Promise<(RawReply | Outcome)[]>;

const existingFavorite = `
  select id, count, rotation, x, y, total_count as "totalCount"
  from favorites join product_favorites using (product_id) where user_id = $1 and product_id = $2`;

/**
 * Returns the statement that inserts the event `favorite.withdrawn` for each row of `withdrawn`,
 * the deleted favorites.
 *
 * @param owner SQL expression of the owner of the product
 */
export const insertWithdrawnEvent = (metadata: string, owner: string): string =>
  insertOfEvent('favorite.withdrawn', {
    payload: {
      favoriteId: 'withdrawn.id',
      productId: 'withdrawn.product_id',
      ownerId: owner,
      userId: 'withdrawn.user_id',
      anonymous: 'withdrawn.anonymous',
      revision: 'withdrawn.revision + 1',
    },
    metadata,
    from: 'withdrawn',
  });

/**
 * Deletes a favorite, subtracts its count from the counter of the product and inserts the event
 * `favorite.withdrawn`. Requires that an earlier statement of the transaction has locked the
 * counter. Otherwise PostgreSQL would evaluate the check `total_count >= 0` with the total of this
 * statement's snapshot, which may be stale.
 */
const withdraw = `
  with withdrawn as (
    delete from favorites where user_id = $1 and product_id = $2 returning id, user_id, count, anonymous, product_id, revision
  ), counted as (
    update product_favorites as total set total_count = total.total_count - withdrawn.count
    from withdrawn where total.product_id = withdrawn.product_id
  ), event as (
    ${insertWithdrawnEvent('$3', '(select p.user_id from catalog.products p where p.id = withdrawn.product_id)')}
  )
  select id, count, product_id as "productId" from withdrawn`;

@Injectable()
export class FavoriteRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds favorites to one product, one of each user, and appends the event `favorite.placed` with
   * the new count of each. All are committed in one transaction.
   *
   * @returns for each addition a FavoriteCreateResponse, product.not-found when its user may not
   *   see the product, or user.not-found when its user is deleted
   * @throws DomainError when a response cannot be stored; nothing was written
   */
  place(additions: readonly Addition[]): Promise<(StoredResponse | DomainError)[]> {
    return this.commit(additions, placeFavorites);
  }

  /**
   * Adds favorites to different products, as `place`, without waiting for a product or user that
   * another transaction has locked. The row of an idempotency key may still be locked.
   *
   * @returns for each addition a FavoriteCreateResponse; undefined when it was not added because
   *   its product or user is locked, its product has no counter yet, or it is invalid. `place` then
   *   waits, or returns the reason
   * @throws as `place`
   */
  placeUnlocked(additions: readonly Addition[]): Promise<(StoredResponse | undefined)[]> {
    return this.commit(additions, placeUnlockedFavorites);
  }

  private async commit<Outcome>(
    additions: readonly Addition[],
    place: Place<Outcome>,
  ): Promise<(StoredResponse | Outcome)[]> {
    if (!additions.some(({ storeResponse }) => storeResponse))
      return (await place((sql, parameters) => this.database.write(sql, parameters), additions)) as StoredResponse[];
    return this.database.transaction(async (tx) => {
      const outcomes = await place((sql, parameters) => tx.query(sql, [...parameters]), additions);
      const results: (StoredResponse | Outcome)[] = [];
      for (const [index, outcome] of outcomes.entries()) {
        const { storeResponse } = additions[index]!;
        results.push(
          storeResponse && outcome instanceof RawReply ? await storeResponse(tx, outcome) : (outcome as StoredResponse),
        );
      }
      return results;
    });
  }

  /**
   * Adds a favorite unless the user has one of the product. The lock orders such additions of a
   * user, so that each sees the favorites of those before. It is the first lock of the transaction.
   *
   * @returns a FavoriteCreateResponse of the new or the existing favorite
   * @throws DomainError product.not-found, user.not-found for a deleted user
   */
  placeFirst(addition: Addition): Promise<RawReply> {
    const { userId, productId } = addition.favorite;
    return this.database.transaction(async (tx) => {
      await tx.query(`select pg_advisory_xact_lock(hashtextextended('favorite ' || $1 || ' ' || $2, 0))`, [
        String(userId),
        String(productId),
      ]);
      const [existing] = await tx.query<PlacedRow[]>(existingFavorite, [userId, productId]);
      if (existing) return createdReply(existing);
      const [placed] = await placeFavorites((sql, parameters) => tx.query(sql, [...parameters]), [addition]);
      if (placed instanceof DomainError) throw placed;
      return placed!;
    });
  }

  /**
   * Deletes a user's favorite of a product, visible or not, and appends `favorite.withdrawn`.
   *
   * @returns the favorite as it was
   * @throws DomainError favorite.not-found
   */
  withdraw(userId: number, productId: number): Promise<Favorite> {
    return this.database.transaction(async (tx) => {
      const lock = { mode: 'pessimistic_write' } as const;
      const metadata = JSON.stringify(metadataOfCall());
      const counter = await tx.findOne(ProductFavoritesEntity, { where: { productId }, lock });
      const [favorite] = counter ? await tx.query<Favorite[]>(withdraw, [userId, productId, metadata]) : [];
      if (!favorite) throw favoriteNotFound(productId);
      return favorite;
    });
  }
}

async function placeFavorites(run: Run, additions: readonly Addition[]): Promise<(RawReply | DomainError)[]> {
  const { productId } = additions[0]!.favorite;
  const rows = await run<Placed>(...placeOnProduct(additions));
  const rowsByUser = new Map(rows.map((row) => [row.userId, row]));
  return additions.map(({ favorite: { userId } }) => {
    const row = rowsByUser.get(userId)!;
    if (!row.userExists) return userDeleted(userId);
    if (row.id === null) return productNotFound(productId);
    return createdReply(row);
  });
}

async function placeUnlockedFavorites(run: Run, additions: readonly Addition[]): Promise<(RawReply | undefined)[]> {
  const rows = await run<PlacedRow & { productId: number }>(...placeOnUnlockedProducts(additions));
  const rowsByProduct = new Map(rows.map((row) => [row.productId, row]));
  return additions.map(({ favorite: { productId } }) => {
    const row = rowsByProduct.get(productId);
    return row && createdReply(row);
  });
}

function createdReply({ id, count, rotation, x, y, totalCount }: PlacedRow): RawReply {
  const response: PlacedResponse = { favorite: { id, count, rotation, x, y }, meta: { totalCount } };
  return RawReply.json(JSON.stringify(response), { status: 201 });
}
