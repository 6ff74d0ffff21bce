import { Injectable } from '@nestjs/common';
import { type CatalogFiles, checkContent, invalidBundle } from '#blanks';
import { type EventPayload, type ImportedBundle, type ImportedItem, type ItemDetails, problems } from '#contracts';
import { appendEvent, appendEvents } from '#events';
import { DomainError } from '#kernel';
import { Database, type Tx, violatedConstraint } from '#persistence';
import { ItemVariantEntity, ItemEntity } from './item.entity.js';
import { conflictsWithStored } from './item.errors.js';
import {
  filesOfImport,
  firstAssignedId,
  missedByProducts,
  type NextIds,
  type StoredRows,
  type UsedByProducts,
} from './item-import.rules.js';
import { deleteMissingPlaces, disable, lockItems, upsertAll } from './item.repository.js';
import { rowsOf } from './item-row.rules.js';

/** Materials whose images one transaction has rendered again. */
const materialsPerEvent = 200;

interface StoredImport {
  readonly id: number;
  readonly version: number;
  readonly bundleHash: string | null;
  readonly enabled: boolean;
}

const importedItems = `
  select i.id, i.name, i.version, i.enabled,
    (select count(*)::integer from item_variants v where v.item_id = i.id and v.enabled) as variants,
    (select count(*)::integer from products p where p.item_id = i.id) as products
  from items i where i.version > 0`;

const itemDetails = `
  select i.id, i.name, i.version, i.enabled, i.display_name as "displayName", i.category_name as category,
    i.angles, i.layers,
    (select count(*)::integer from products p where p.item_id = i.id) as products,
    (select coalesce(json_agg(json_build_object('color', c.name, 'size', s.name, 'price', v.price) order by v.position), '[]')
       from item_variants v join colors c on c.id = v.color_id join sizes s on s.id = v.size_id
       where v.item_id = i.id and v.enabled) as variants,
    (select json_agg(json_build_object(
         'name', place, 'price', coalesce(price, 0),
         'width', i.print_areas -> place -> 'millimetres' -> 'width',
         'height', i.print_areas -> place -> 'millimetres' -> 'height') order by position)
       from unnest(i.available_print_places) with ordinality as places (place, position)
       left join lateral (
         select max(p.price) as price from print_places p join item_variants v on v.id = p.item_variant_id
         where v.item_id = i.id and v.enabled and p.place = places.place) prices on true) as "printPlaces"
  from items i where i.name = $1`;

/** Items of the operator. */
@Injectable()
export class ItemImportRepository {
  constructor(private readonly database: Database) {}

  list(): Promise<ImportedItem[]> {
    return this.database.query<ImportedItem>(`${importedItems} order by i.name`);
  }

  /** @throws DomainError `item.not-found` */
  async details(name: string): Promise<ItemDetails> {
    const [item] = await this.database.query<ItemDetails>(itemDetails, [name]);
    if (!item) throw new DomainError(problems['item.not-found'], `There is no item ${name}.`);
    return item;
  }

  /** Returns the keys of blobs that imported items use. */
  async usedBlobs(keys: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ key: string }>(
      `select distinct blob ->> 'key' as key
       from items cross join lateral jsonb_array_elements(blobs) blob where blob ->> 'key' = any($1)`,
      [keys],
    );
    return rows.map(({ key }) => key);
  }

  /**
   * Adds or replaces an item in one transaction, and appends `items.changed`. Variants that are not
   * in the bundle are disabled, because products reference them. With the version of the item the
   * images of its products get a new revision, see `imageRevisionOf`: for a new version
   * `item.updated` is appended, which has these images rendered.
   *
   * @param printPlaces display names of the print places of the catalog
   * @returns `changed` false when this bundle is stored already
   * @throws DomainError `catalog.invalid` with all mistakes, also for the name of an item that
   *   ships with the service, and for a new version without an angle or place that products use
   */
  async import(
    bundle: ImportedBundle,
    printPlaces: CatalogFiles['printPlaces'],
  ): Promise<{ item: ImportedItem; changed: boolean }> {
    try {
      return await this.database.transaction(async (tx) => {
        await lockItems(tx);
        const lists = await storedLists(tx);
        const { content, errors } = checkContent(bundle, { ...lists, printPlaces });
        if (!content || errors.length > 0) throw invalidBundle(errors);
        const { name } = content.item;
        const stored = await storedItem(tx, name);
        if (stored?.version === 0)
          throw invalidBundle([{ path: 'item.json:name', message: `${name} is an item that ships with the service` }]);
        const missing = stored ? missedByProducts(content.item, await usedByProducts(tx, stored.id)) : [];
        if (missing.length > 0) throw invalidBundle(missing);
        const isSame = stored?.enabled === true && stored.bundleHash === bundle.hash;
        if (!isSame) {
          const rows = { ...lists, item: stored, variants: stored ? await storedVariants(tx, stored.id) : [] };
          const files = filesOfImport(content, rows, printPlaces, await nextIds(tx));
          await write(tx, files, { ...bundle, version: (stored?.version ?? 0) + 1 });
        }
        return { item: (await importedItem(tx, name))!, changed: !isSame };
      });
    } catch (error) {
      const constraint = violatedConstraint(error);
      if (constraint) throw conflictsWithStored(constraint);
      throw error;
    }
  }

  /**
   * Appends `images.outdated` for the next materials with a product of an item, and `item.updated`
   * if others remain. None if the item has a newer version, whose own event has all of them.
   */
  async appendOutdated(tx: Tx, { itemId, version, afterMaterialId }: EventPayload<'item.updated'>): Promise<void> {
    const rows = await tx.query<{ materialId: number }[]>(
      `select p.material_id as "materialId" from products p
       where p.item_id = $1 and p.material_id > $2 and not p.violation
         and exists (select from items i where i.id = $1 and i.version = $3)
       order by p.material_id limit ${materialsPerEvent}`,
      [itemId, afterMaterialId, version],
    );
    await appendEvents(
      tx,
      'images.outdated',
      rows.map(({ materialId }) => ({ materialId, itemId })),
    );
    if (rows.length < materialsPerEvent) return;
    await appendEvent(tx, 'item.updated', { itemId, version, afterMaterialId: rows.at(-1)!.materialId });
  }

  /** @throws DomainError `item.not-found` */
  retire(name: string): Promise<ImportedItem> {
    return this.database.transaction(async (tx) => {
      await lockItems(tx);
      const changed = await disable(tx, ItemEntity, 'version > 0 and name = :name', { name });
      if (changed > 0) await appendEvent(tx, 'items.changed', {});
      const item = await importedItem(tx, name);
      if (!item) throw new DomainError(problems['item.not-found'], `There is no imported item ${name}.`);
      return item;
    });
  }
}

async function importedItem(tx: Tx, name: string): Promise<ImportedItem | undefined> {
  const [item] = await tx.query<ImportedItem[]>(`${importedItems} and i.name = $1`, [name]);
  return item;
}

async function storedItem(tx: Tx, name: string): Promise<StoredImport | undefined> {
  const sql = 'select id, version, bundle_hash as "bundleHash", enabled from items where name = $1';
  const [item] = await tx.query<StoredImport[]>(sql, [name]);
  return item;
}

async function usedByProducts(tx: Tx, itemId: number): Promise<UsedByProducts> {
  const [used] = await tx.query<UsedByProducts[]>(
    `select i.is_embroidery as "isEmbroidery",
       (select count(*)::integer from products where item_id = i.id) as products,
       (select json_agg(it->>'name') from jsonb_array_elements(i.angles) it) as angles,
       (select json_agg(place) from (
          select i.default_print_place as place
          union select it->>'place' from products p, jsonb_array_elements(p.prints) it where p.item_id = i.id
        ) places) as places
     from items i where i.id = $1`,
    [itemId],
  );
  return used!;
}

async function storedLists(tx: Tx): Promise<Pick<StoredRows, 'colors' | 'sizes' | 'categories'>> {
  const read = (columns: string, table: string): Promise<unknown> =>
    tx.query(`select name, display_name as "displayName", ${columns} from ${table}`);
  return {
    colors: (await read('id, rgb', 'colors')) as StoredRows['colors'],
    sizes: (await read('id', 'sizes')) as StoredRows['sizes'],
    categories: (await read('display_order as "displayOrder"', 'categories')) as StoredRows['categories'],
  };
}

function storedVariants(tx: Tx, itemId: number): Promise<StoredRows['variants']> {
  return tx.query<StoredRows['variants']>(
    `select v.id, v.color_id as "colorId", v.size_id as "sizeId",
       coalesce((select json_object_agg(p.place, p.id) from print_places p where p.item_variant_id = v.id), '{}') as "printPlaceIds"
     from item_variants v where v.item_id = $1`,
    [itemId],
  );
}

async function nextIds(tx: Tx): Promise<NextIds> {
  const [first] = await tx.query<Record<string, number | null>[]>(
    `select ${['colors', 'sizes', 'items', 'item_variants', 'print_places']
      .map((table) => `(select greatest(max(id) + 1, $1) from ${table}) as ${table}`)
      .join()}`,
    [firstAssignedId],
  );
  const from = (table: string) => {
    let id = first![table] ?? firstAssignedId;
    return () => id++;
  };
  return {
    color: from('colors'),
    size: from('sizes'),
    item: from('items'),
    variant: from('item_variants'),
    printPlace: from('print_places'),
  };
}

async function write(
  tx: Tx,
  files: CatalogFiles,
  { hash, layers, blobs, version }: Pick<ImportedBundle, 'hash' | 'layers' | 'blobs'> & { readonly version: number },
): Promise<void> {
  const rows = rowsOf(files);
  const [item] = rows.items;
  const variantIds = rows.variants.map(({ id }) => id);
  await upsertAll(tx, {
    ...rows,
    items: [Object.assign(new ItemEntity(), item, { version, bundleHash: hash, layers, blobs })],
  });
  await disable(tx, ItemVariantEntity, 'item_id = :itemId and not (id = any(:ids))', {
    itemId: item!.id,
    ids: variantIds,
  });
  await deleteMissingPlaces(tx, variantIds, rows.printPlaces);
  await appendEvent(tx, 'items.changed', {});
  if (version > 1) await appendEvent(tx, 'item.updated', { itemId: item!.id, version, afterMaterialId: 0 });
}
