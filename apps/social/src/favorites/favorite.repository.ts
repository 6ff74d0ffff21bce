import { Injectable } from '@nestjs/common';
import type { Favorite, FavoriteCreateResponse } from '#contracts';
import { appendEvent } from '#events';
import { Database, holdAuthor, type Tx } from '#persistence';
import type { z } from 'zod';
import { productNotFound } from '../products/product.errors.js';
import { favoriteNotFound } from './favorite.errors.js';
import type { Stamp } from './favorite.js';
import { ProductFavoritesEntity } from './product-favorites.entity.js';

export interface NewFavorite {
  readonly userId: number;
  readonly product: { readonly productId: number; readonly title: string; readonly ownerId: number };
  /** How many favorites are added. */
  readonly count: number;
  readonly anonymous: boolean;
  /** For a favorite that does not exist yet. */
  readonly stamp: Stamp;
}

export type PlacedFavorites = z.output<typeof FavoriteCreateResponse>;

/**
 * Counter and favorite in one statement. The favorite selects from the counter, which is the row of the product: it is
 * always locked first, so that no two statements wait for each other, and a product that is gone has no counter here.
 */
const place = `
  with total as (
    insert into product_favorites as known (product_id, total_count)
    values ($2, $3)
    on conflict (product_id) do update set total_count = known.total_count + excluded.total_count
      where not known.deleted
    returning product_id, total_count
  ), placed as (
    insert into favorites (user_id, product_id, count, anonymous, x, y, rotation)
    select $1::bigint, product_id, $3::bigint, $4::boolean, $5::float8, $6::float8, $7::integer from total
    on conflict (user_id, product_id) do update
      set count = favorites.count + excluded.count, anonymous = excluded.anonymous, updated_at = now()
    returning id, count, x, y, rotation
  )
  select id, count, rotation, x, y, total_count as "totalCount" from placed, total`;

/**
 * Needs the lock of the counter from a statement before: the total would be checked against the count that this statement
 * found when it began.
 */
const withdraw = `
  with withdrawn as (
    delete from favorites where user_id = $1 and product_id = $2 returning id, count, product_id
  ), counted as (
    update product_favorites as total set total_count = total.total_count - withdrawn.count
    from withdrawn where total.product_id = withdrawn.product_id
  )
  select id, count, product_id as "productId" from withdrawn`;

@Injectable()
export class FavoriteRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds favorites and says `favorite.placed` with the favorite's new count.
   *
   * @param answer makes the result inside the transaction
   * @throws DomainError product.not-found when the product has been deleted meanwhile, user.not-found when its user has left
   */
  place<R>(
    { userId, product, count, anonymous, stamp }: NewFavorite,
    answer: (tx: Tx, placed: PlacedFavorites) => Promise<R>,
  ): Promise<R> {
    const { productId, title, ownerId } = product;
    return this.database.transaction(async (tx) => {
      await holdAuthor(tx, userId);
      const [row] = await tx.query<(PlacedFavorites['favorite'] & PlacedFavorites['meta'])[]>(place, [
        userId,
        productId,
        count,
        anonymous,
        stamp.x,
        stamp.y,
        stamp.rotation,
      ]);
      if (!row) throw productNotFound(productId);
      const { totalCount, ...favorite } = row;
      await appendEvent(tx, 'favorite.placed', {
        favoriteId: favorite.id,
        productId,
        productTitle: title,
        ownerId,
        userId,
        anonymous,
        count: favorite.count,
      });
      return answer(tx, { favorite, meta: { totalCount } });
    });
  }

  /**
   * Takes a user's favorite of a product away, whether the product is visible or not, and says `favorite.withdrawn`.
   *
   * @returns the favorite as it was
   * @throws DomainError favorite.not-found
   */
  withdraw(userId: number, productId: number): Promise<Favorite> {
    return this.database.transaction(async (tx) => {
      const lock = { mode: 'pessimistic_write' } as const;
      const counter = await tx.findOne(ProductFavoritesEntity, { where: { productId }, lock });
      const [favorite] = counter ? await tx.query<Favorite[]>(withdraw, [userId, productId]) : [];
      if (!favorite) throw favoriteNotFound(productId);
      await appendEvent(tx, 'favorite.withdrawn', { favoriteId: favorite.id, productId, userId });
      return favorite;
    });
  }
}
