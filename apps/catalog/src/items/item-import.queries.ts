import { type CatalogFiles } from '#blanks';
import { type Tx } from '#persistence';
import { firstAssignedId, type PrintedProducts, type StoredRows, type StoredVersion } from './item-import.rules.js';

/** Stored item with the name of a bundle, also one that ships with the service (version 0). */
export interface StoredImport extends StoredVersion {
  readonly id: number;
  readonly version: number;
  readonly bundleHash: string | null;
  readonly enabled: boolean;
}

type StoredLists = Pick<StoredRows, 'colors' | 'sizes' | 'categories'>;

export async function storedItem(tx: Tx, name: string): Promise<StoredImport | undefined> {
  const [item] = await tx.query<StoredImport[]>(
    `select id, version, bundle_hash as "bundleHash", enabled, is_embroidery as "isEmbroidery",
       available_print_places as places, default_print_place as "defaultPlace",
       array(select it ->> 'name' from jsonb_array_elements(angles) it) as angles
     from items where name = $1`,
    [name],
  );
  return item;
}

/**
 * Counts the products of an item by variant and place, in one scan: 26 ms among 300,000 products.
 * An index on the item would slow down all writes for this rare statement.
 */
export function printedProducts(tx: Tx, { id, defaultPlace }: StoredImport): Promise<PrintedProducts[]> {
  return tx.query<PrintedProducts[]>(
    `select p.exemplary_variant_id as "variantId", place, count(*)::integer as products
     from products p cross join lateral (
       select $2 as place union select it ->> 'place' from jsonb_array_elements(p.prints) it) places
     where p.item_id = $1 group by 1, 2`,
    [id, defaultPlace],
  );
}

export async function storedLists(tx: Tx): Promise<StoredLists> {
  const read = (columns: string, table: string): Promise<unknown> =>
    tx.query(`select name, display_name as "displayName", ${columns} from ${table}`);
  return {
    colors: (await read('id, rgb', 'colors')) as StoredRows['colors'],
    sizes: (await read('id', 'sizes')) as StoredRows['sizes'],
    categories: (await read('display_order as "displayOrder"', 'categories')) as StoredRows['categories'],
  };
}

/** Returns the entries of the lists that ship with the service, or that other items use. */
export async function sharedEntries(
  tx: Tx,
  lists: StoredLists,
  shippedCategories: CatalogFiles['categories'],
  itemId: number | undefined,
): Promise<StoredLists> {
  const ofOthers = (table: string, column: string) =>
    `select coalesce(json_agg(name), '[]') from ${table} it where it.id < ${firstAssignedId} or exists (
       select from item_variants v where v.${column} = it.id and v.item_id is distinct from $1)`;
  const [names] = await tx.query<Record<keyof StoredLists, string[]>[]>(
    `select (${ofOthers('colors', 'color_id')}) as colors, (${ofOthers('sizes', 'size_id')}) as sizes,
       (select coalesce(json_agg(category_name), '[]') from items where id is distinct from $1) as categories`,
    [itemId ?? null],
  );
  const categories = [...names!.categories, ...shippedCategories.map(({ name }) => name)];
  return {
    colors: lists.colors.filter(({ name }) => names!.colors.includes(name)),
    sizes: lists.sizes.filter(({ name }) => names!.sizes.includes(name)),
    categories: lists.categories.filter(({ name }) => categories.includes(name)),
  };
}

export function storedVariants(tx: Tx, itemId: number): Promise<StoredRows['variants']> {
  return tx.query<StoredRows['variants']>(
    `select v.id, v.color_id as "colorId", c.name as color, v.size_id as "sizeId", s.name as size,
       coalesce((select json_object_agg(p.place, p.id) from print_places p where p.item_variant_id = v.id), '{}') as "printPlaceIds"
     from item_variants v join colors c on c.id = v.color_id join sizes s on s.id = v.size_id where v.item_id = $1`,
    [itemId],
  );
}

/**
 * Returns the last id that an import has assigned. Ids are not reused, because clients store those
 * of print places that a new version deleted. A process of an older version leaves its ids in the
 * tables only.
 */
export async function lastOwnId(tx: Tx): Promise<number> {
  const tables = ['colors', 'sizes', 'items', 'item_variants', 'print_places'];
  const [last] = await tx.query<{ id: number }[]>(
    `select greatest(last_value, ${tables.map((table) => `(select max(id) from ${table})`).join()}) as id from own_ids`,
  );
  return last!.id;
}
