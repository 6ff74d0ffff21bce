import { Injectable } from '@nestjs/common';
import type { Tx } from '#persistence';
import { In } from 'typeorm';
import { ChoiceProductEntity } from '../choices/choice-product.entity.js';
import { FavoriteEntity } from '../favorites/favorite.entity.js';

// The update changes nothing; it locks the row and sees its newest version, also one that was just committed
const hold = `
  insert into product_favorites as known (product_id, total_count)
  select id, 0 from unnest($1::bigint[]) as id group by id order by id
  on conflict (product_id) do update set total_count = known.total_count where not known.deleted
  returning product_id as "productId"`;

const mark = `
  insert into product_favorites as known (product_id, total_count, deleted)
  select id, 0, true from unnest($1::bigint[]) as id order by id
  on conflict (product_id) do update set total_count = 0, deleted = true`;

/**
 * Products as far as this service knows them. The row of a product is locked by whoever writes of it, before anything
 * else of that product: so a product is deleted either before a favorite or an entry, which is then refused, or after
 * it, and then takes it along.
 */
@Injectable()
export class ProductRepository {
  /**
   * Locks products until the transaction ends, in the order of their ids.
   *
   * @returns those that are not deleted
   */
  async hold(tx: Tx, productIds: readonly number[]): Promise<Set<number>> {
    const rows = await tx.query<{ productId: number }[]>(hold, [productIds]);
    return new Set(rows.map(({ productId }) => productId));
  }

  /** Forgets what was said of products that are gone, for ever: their ids never come back. */
  async forget(tx: Tx, productIds: readonly number[]): Promise<void> {
    await tx.query(mark, [productIds]);
    await tx.delete(FavoriteEntity, { productId: In(productIds) });
    await tx.delete(ChoiceProductEntity, { productId: In(productIds) });
  }
}
