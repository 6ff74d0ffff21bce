import type pg from 'pg';
import { existingFavorites, deletedProducts } from './check-favorites.js';
import type { Ledger } from './load.js';
import type { Notes } from './notes.js';

const favoriteActivities = `
  select actor_id || '/' || (data ->> 'productId') as key, array_agg(distinct receiver_id::int) as receivers, count(*)::int as count
  from activity.activities where kind = 'favorite' and actor_id = any($1) group by 1`;

const materialActivities = `
  select (data ->> 'materialId')::int as id, count(*)::int as count
  from activity.activities where kind = 'material' and receiver_id = any($1) group by 1`;

const totals = `
  select product_id::int as "productId", total_count::int as total,
    (select coalesce(sum(count), 0)::int from social.favorites f where f.product_id = t.product_id) as sum
  from social.product_favorites t`;

/** Checks that each favorite of another user's product has one activity. */
export async function checkFavoriteActivities(database: pg.Client, ledger: Ledger, notes: Notes): Promise<void> {
  const records = [...ledger.favorites.entries()];
  const users = [...new Set(records.map(([, { userId }]) => userId))];
  type Row = { key: string; receivers: number[]; count: number };
  const { rows } = await database.query<Row>(favoriteActivities, [users]);
  const activities = new Map(rows.map((row) => [row.key, row]));
  for (const [key, { userId, ownerId, everPlaced }] of records) {
    const row = activities.get(key);
    const count = row?.count ?? 0;
    activities.delete(key);
    if (count > 1) notes.duplicated(`favorite ${key} has ${count} activities`);
    if (count === 0 && everPlaced === true && userId !== ownerId) notes.lost(`favorite ${key} has no activity`);
    if (row && row.receivers.join() !== String(ownerId))
      notes.wrong(`the activity of favorite ${key} is for ${row.receivers.join()} instead of ${ownerId}`);
  }
  for (const key of activities.keys())
    notes.duplicated(`there is an activity of favorite ${key}, which was never placed`);
}

/** Checks that each material with products has one activity about its images. */
export async function checkMaterialActivities(database: pg.Client, ledger: Ledger, notes: Notes): Promise<void> {
  const users = [...new Set([...ledger.materials.values()].map(({ userId }) => userId))];
  const { rows } = await database.query<{ id: number; count: number }>(materialActivities, [users]);
  const activities = new Map(rows.map(({ id, count }) => [id, count]));
  for (const { id, products, deleted } of ledger.materials.values()) {
    const count = activities.get(id) ?? 0;
    if (count > 1) notes.duplicated(`material ${id} has ${count} activities`);
    if (count > 0 && products.length === 0) notes.wrong(`material ${id} has no products, but an activity about images`);
    // A material that was deleted before it was rendered has no activity
    if (count === 0 && products.length > 0 && deleted === false) notes.lost(`material ${id} has no activity`);
  }
}

/**
 * Checks the stored totals of favorites against the stored favorites, and the totals of the load's
 * products against its ledger.
 */
export async function checkTotals(database: pg.Client, ledger: Ledger, notes: Notes): Promise<void> {
  const { rows } = await database.query<{ productId: number; total: number; sum: number }>(totals);
  const deleted = deletedProducts(ledger);
  const known = new Map(rows.map(({ productId, total }) => [productId, total]));
  for (const { productId, total, sum } of rows)
    if (total > 0 && deleted.has(productId))
      notes.lost(`product ${productId} was deleted and has favorites of ${total}`);
    else if (total !== sum) notes.wrong(`product ${productId} has a total of ${total} and favorites of ${sum}`);
  const recorded = new Map<number, { least: number; most: number }>();
  for (const { productId, counts } of existingFavorites(ledger)) {
    const { least, most } = recorded.get(productId) ?? { least: 0, most: 0 };
    recorded.set(productId, { least: least + Math.min(...counts), most: most + Math.max(...counts) });
  }
  for (const [productId, { least, most }] of recorded) {
    const total = known.get(productId) ?? 0;
    if (total < least) notes.lost(`product ${productId} has a total of ${total}; ${least} were placed`);
    if (total > most) notes.duplicated(`product ${productId} has a total of ${total}; ${most} were placed`);
  }
}
