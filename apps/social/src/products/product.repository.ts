import { Injectable } from '@nestjs/common';
import type { Tx } from '#persistence';
import { In } from 'typeorm';
import { ChoiceProductEntity } from '../choices/choice-product.entity.js';
import { FavoriteEntity } from '../favorites/favorite.entity.js';

// The update changes nothing: it locks the row and reads its newest version, even one committed
// after the snapshot
const lockProducts = `
  insert into product_favorites as counter (product_id, total_count)
  select id, 0 from unnest($1::bigint[]) as id group by id order by id
  on conflict (product_id) do update set total_count = counter.total_count where not counter.deleted
  returning product_id as "productId"`;

const markDeleted = `
  insert into product_favorites as counter (product_id, total_count, deleted)
  select id, 0, true from unnest($1::bigint[]) as id order by id
  on conflict (product_id) do update set total_count = 0, deleted = true`;

/**
 * Products as this service stores them, one row in `product_favorites` for each. Every write that
 * adds a favorite or an entry of a choice locks the product's row before the insert. If the product
 * has been deleted by then, the write is rejected; a later deletion includes the favorite or entry.
 */
@Injectable()
export class ProductRepository {
  /**
   * Locks products until the transaction ends, in the order of their ids, so that transactions do
   * not deadlock.
   *
   * @returns the ids of products that are not deleted
   */
  async lock(tx: Tx, productIds: readonly number[]): Promise<Set<number>> {
    const rows = await tx.query<{ productId: number }[]>(lockProducts, [productIds]);
    return new Set(rows.map(({ productId }) => productId));
  }

  /**
   * Marks products as deleted, permanently because ids are not reused, and deletes their favorites
   * and entries of choices.
   */
  async delete(tx: Tx, productIds: readonly number[]): Promise<void> {
    await tx.query(markDeleted, [productIds]);
    await tx.delete(FavoriteEntity, { productId: In(productIds) });
    await tx.delete(ChoiceProductEntity, { productId: In(productIds) });
  }
}
