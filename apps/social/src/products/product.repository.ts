import { Injectable } from '@nestjs/common';
import { insertOfEvent, metadataOfCall } from '#events';
import type { Tx } from '#persistence';
import { insertWithdrawnEvent } from '../favorites/favorite.repository.js';

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
 * Locks the choices with entries of the given products. All writes lock choices before products.
 */
const lockChoices = `
  select id from choices where id in (select choice_id from choice_products where product_id = any($1))
  order by id for update`;

/**
 * Deletes the favorites of products and appends their events. These have no owner, because the
 * owner of the products is notified by `material.deleted`.
 */
const deleteFavorites = `
  with withdrawn as (
    delete from favorites where product_id = any($1) returning id, user_id, product_id, anonymous, revision
  )
  ${insertWithdrawnEvent('$2', 'null::bigint')}`;

/**
 * Deletes entries, and appends an event for each locked choice with one. A choice to which one of
 * the products was added since the lock has no event.
 */
const deleteEntries = `
  with changed as (
    update choices set revision = revision + 1
    where id = any($2) and exists (select from choice_products where choice_id = id and product_id = any($1))
    returning id, user_id, revision
  ), event as (
    ${insertOfEvent('choice.updated', {
      payload: {
        choiceId: 'changed.id',
        userId: 'changed.user_id',
        changed: `'["choiceProducts"]'::jsonb`,
        revision: 'changed.revision',
      },
      metadata: '$3',
      from: 'changed',
    })}
  )
  delete from choice_products where product_id = any($1)`;

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
   * and entries of choices, with the events of both.
   */
  async delete(tx: Tx, productIds: readonly number[]): Promise<void> {
    const choices = await tx.query<{ id: number }[]>(lockChoices, [productIds]);
    const choiceIds = choices.map(({ id }) => id);
    const metadata = JSON.stringify(metadataOfCall());
    await tx.query(markDeleted, [productIds]);
    await tx.query(deleteFavorites, [productIds, metadata]);
    await tx.query(deleteEntries, [productIds, choiceIds, metadata]);
  }
}
