import { Injectable } from '@nestjs/common';
import type { FavoriteCreateResponse } from '#contracts';
import { appendEvent } from '#events';
import { Database, type Tx } from '#persistence';
import { In } from 'typeorm';
import type { z } from 'zod';
import { FavoriteEntity } from './favorite.entity.js';
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
 * Favorite and counter in one statement. The counter selects from the favorite, so that rows are always locked in this
 * order and two statements never wait for each other.
 */
const place = `
  with placed as (
    insert into favorites (user_id, product_id, count, anonymous, x, y, rotation)
    values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (user_id, product_id) do update
      set count = favorites.count + excluded.count, anonymous = excluded.anonymous, updated_at = now()
    returning id, product_id, count, x, y, rotation
  ), total as (
    insert into product_favorites (product_id, total_count)
    select product_id, $3::bigint from placed
    on conflict (product_id) do update set total_count = product_favorites.total_count + excluded.total_count
    returning total_count
  )
  select id, count, rotation, x, y, total_count as "totalCount" from placed, total`;

@Injectable()
export class FavoriteRepository {
  constructor(private readonly database: Database) {}

  /** Adds favorites and says `favorite.placed` with the favorite's new count. */
  place({ userId, product, count, anonymous, stamp }: NewFavorite): Promise<PlacedFavorites> {
    const { productId, title, ownerId } = product;
    return this.database.transaction(async (tx) => {
      const rows = await tx.query<(PlacedFavorites['favorite'] & PlacedFavorites['meta'])[]>(place, [
        userId,
        productId,
        count,
        anonymous,
        stamp.x,
        stamp.y,
        stamp.rotation,
      ]);
      const { totalCount, ...favorite } = rows[0]!;
      await appendEvent(tx, 'favorite.placed', {
        favoriteId: favorite.id,
        productId,
        productTitle: title,
        ownerId,
        userId,
        anonymous,
        count: favorite.count,
      });
      return { favorite, meta: { totalCount } };
    });
  }

  /** Forgets the favorites of products that are gone, in the order in which `place` locks. */
  async drop(tx: Tx, productIds: readonly number[]): Promise<void> {
    await tx.delete(FavoriteEntity, { productId: In(productIds) });
    await tx.delete(ProductFavoritesEntity, { productId: In(productIds) });
  }
}
