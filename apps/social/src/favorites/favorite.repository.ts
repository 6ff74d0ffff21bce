import { Injectable } from '@nestjs/common';
import type { Favorite, FavoriteCreateResponse } from '#contracts';
import { appendEvent, insertOfEvent, metadataOfCall } from '#events';
import { Database, heldAuthor, type Run, userGone } from '#persistence';
import type { z } from 'zod';
import { productNotFound } from '../products/product.errors.js';
import { visibleProduct } from '../products/visible-product.js';
import { favoriteNotFound } from './favorite.errors.js';
import type { Stamp } from './favorite.js';
import { ProductFavoritesEntity } from './product-favorites.entity.js';

export interface NewFavorite {
  readonly userId: number;
  readonly productId: number;
  /** How many favorites are added. */
  readonly count: number;
  readonly anonymous: boolean;
  /** For a favorite that does not exist yet. */
  readonly stamp: Stamp;
}

export type PlacedFavorites = z.output<typeof FavoriteCreateResponse>;
type PlacedRow = PlacedFavorites['favorite'] & PlacedFavorites['meta'];

const toldOfPlaced = insertOfEvent('favorite.placed', {
  payload: {
    favoriteId: 'placed.id',
    productId: 'product.id',
    productTitle: 'product.title',
    ownerId: 'product.user_id',
    userId: '$1::bigint',
    anonymous: '$4::boolean',
    count: 'placed.count',
  },
  metadata: '$8',
  from: 'placed, product',
});

/**
 * Everything in one statement. The author is held before anything is locked. The favorite selects from the counter, which
 * is the row of the product: it is always locked first, so that no two statements wait for each other, and a product that
 * is gone has no counter here.
 */
const place = `
  with ${heldAuthor('$1')}, product as (
    select p.id, p.user_id, p.title from author, catalog.titled_products p
    where author.here and p.id = $2 and ${visibleProduct('p', '$1')}
  ), total as (
    insert into product_favorites as known (product_id, total_count)
    select id, $3::bigint from product
    on conflict (product_id) do update set total_count = known.total_count + excluded.total_count
      where not known.deleted
    returning product_id, total_count
  ), placed as (
    insert into favorites (user_id, product_id, count, anonymous, x, y, rotation)
    select $1::bigint, product_id, $3::bigint, $4::boolean, $5::float8, $6::float8, $7::integer from total
    on conflict (user_id, product_id) do update
      set count = favorites.count + excluded.count, anonymous = excluded.anonymous, updated_at = now()
    returning id, count, x, y, rotation
  ), told as (
    ${toldOfPlaced}
  )
  select here, id, count, rotation, x, y, total_count as "totalCount"
  from author left join (placed cross join total) on true`;

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
   * Adds favorites to a product that the user may see, and says `favorite.placed` with the favorite's new count.
   *
   * @throws DomainError product.not-found, user.not-found when its user has left
   */
  async place(run: Run, { userId, productId, count, anonymous, stamp }: NewFavorite): Promise<PlacedFavorites> {
    const { x, y, rotation } = stamp;
    const metadata = JSON.stringify(metadataOfCall());
    const values = [userId, productId, count, anonymous, x, y, rotation, metadata];
    const [row] = await run<{ here: boolean } & (PlacedRow | { id: null })>(place, values);
    const { here, ...placed } = row!;
    if (!here) throw userGone(userId);
    if (placed.id === null) throw productNotFound(productId);
    const { totalCount, ...favorite } = placed;
    return { favorite, meta: { totalCount } };
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
