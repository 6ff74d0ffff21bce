import type pg from 'pg';
import { favoritesThatStand, goneProducts } from './check-favorites.js';
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

/** Checks that each favorite of somebody else's product was told of once. */
export async function checkFavoriteActivities(database: pg.Client, ledger: Ledger, notes: Notes): Promise<void> {
  const records = [...ledger.favorites.entries()];
  const users = [...new Set(records.map(([, { userId }]) => userId))];
  type Row = { key: string; receivers: number[]; count: number };
  const { rows } = await database.query<Row>(favoriteActivities, [users]);
  const told = new Map(rows.map((row) => [row.key, row]));
  for (const [key, { userId, ownerId, everPlaced }] of records) {
    const row = told.get(key);
    const count = row?.count ?? 0;
    told.delete(key);
    if (count > 1) notes.duplicated(`favorite ${key} has ${count} activities`);
    if (count === 0 && everPlaced === true && userId !== ownerId) notes.lost(`favorite ${key} has no activity`);
    if (row && row.receivers.join() !== String(ownerId))
      notes.wrong(`the activity of favorite ${key} is told to ${row.receivers.join()} and not to ${ownerId}`);
  }
  for (const key of told.keys()) notes.duplicated(`there is an activity of favorite ${key}, which was never placed`);
}

/** Checks that each material with products was told of once, when its images were ready. */
export async function checkMaterialActivities(database: pg.Client, ledger: Ledger, notes: Notes): Promise<void> {
  const users = [...new Set([...ledger.materials.values()].map(({ userId }) => userId))];
  const { rows } = await database.query<{ id: number; count: number }>(materialActivities, [users]);
  const told = new Map(rows.map(({ id, count }) => [id, count]));
  for (const { id, products, deleted } of ledger.materials.values()) {
    const count = told.get(id) ?? 0;
    if (count > 1) notes.duplicated(`material ${id} was told of ${count} times`);
    if (count > 0 && products.length === 0) notes.wrong(`material ${id} has no products and its images were told of`);
    // One that is deleted first is not told of
    if (count === 0 && products.length > 0 && deleted === false) notes.lost(`material ${id} was never told of`);
  }
}

/** Checks the kept sums of favorites against the rows, and those of the load's products against its ledger. */
export async function checkTotals(database: pg.Client, ledger: Ledger, notes: Notes): Promise<void> {
  const { rows } = await database.query<{ productId: number; total: number; sum: number }>(totals);
  const gone = goneProducts(ledger);
  const known = new Map(rows.map(({ productId, total }) => [productId, total]));
  for (const { productId, total, sum } of rows)
    if (total > 0 && gone.has(productId)) notes.lost(`product ${productId} was deleted and has favorites of ${total}`);
    else if (total !== sum) notes.wrong(`product ${productId} has a total of ${total} and favorites of ${sum}`);
  const booked = new Map<number, { least: number; most: number }>();
  for (const { productId, counts } of favoritesThatStand(ledger)) {
    const { least, most } = booked.get(productId) ?? { least: 0, most: 0 };
    booked.set(productId, { least: least + Math.min(...counts), most: most + Math.max(...counts) });
  }
  for (const [productId, { least, most }] of booked) {
    const total = known.get(productId) ?? 0;
    if (total < least) notes.lost(`product ${productId} has a total of ${total}; ${least} were placed`);
    if (total > most) notes.duplicated(`product ${productId} has a total of ${total}; ${most} were placed`);
  }
}
