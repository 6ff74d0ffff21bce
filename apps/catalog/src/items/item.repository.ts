import { Injectable } from '@nestjs/common';
import { type ObjectLiteral } from 'typeorm';
import { appendEvent } from '#events';
import { Database, type Tx, violatedConstraint } from '#persistence';
import {
  CategoryEntity,
  ColorEntity,
  ItemEntity,
  ItemVariantEntity,
  PrintPlaceEntity,
  SizeEntity,
} from './item.entity.js';
import { conflictsWithStored } from './item.errors.js';
import { type CatalogRows } from './item-row.rules.js';
import { ownOf, type OwnRows, withoutOwn } from './own-name.rules.js';

/**
 * Rows per INSERT: PostgreSQL accepts 65,535 parameters in one statement, and an item has 16
 * columns.
 */
const rowsPerStatement = 1_000;

interface Table<Row extends ObjectLiteral> {
  readonly entity: new () => Row;
  readonly key: keyof Row & string;
}

const byId = <Row extends ObjectLiteral & { id: number }>(entity: new () => Row): Table<Row> => ({ entity, key: 'id' });

@Injectable()
export class ItemRepository {
  constructor(private readonly database: Database) {}

  /**
   * Inserts and updates all rows in one transaction, and appends `items.changed` if a row has
   * changed. Stored items and variants that are missing from the rows are disabled and not deleted,
   * because products reference them; imported ones remain. Missing print places of the given
   * variants are deleted; missing colors, sizes and categories remain.
   *
   * @returns whether a row changed, and the rows of the files that are omitted because an operator
   *   has used their names, see `withoutOwn`
   * @throws DomainError `catalog.invalid` when the rows conflict with stored rows; nothing is
   *   written then
   */
  async replace(files: CatalogRows): Promise<{ changed: boolean; kept: string[] }> {
    try {
      return await this.database.transaction(async (tx) => {
        await lockItems(tx);
        const { rows, kept } = withoutOwn(files, await ownRows(tx));
        const changed = (await disableMissing(tx, rows)) + (await upsertAll(tx, rows));
        if (changed > 0) await appendEvent(tx, 'items.changed', {});
        return { changed: changed > 0, kept };
      });
    } catch (error) {
      const constraint = violatedConstraint(error);
      if (constraint) throw conflictsWithStored(constraint);
      throw error;
    }
  }
}

/** Waits for other changes of items. Each would see only a part of the rows of the other. */
export const lockItems = (tx: Tx): Promise<unknown> =>
  tx.query(`select pg_advisory_xact_lock(hashtext('catalog.items.load'))`);

async function ownRows(tx: Tx): Promise<OwnRows> {
  const read = async (table: keyof OwnRows) =>
    ownOf(await tx.query<{ id: number; name: string }[]>(`select id, name from ${table}`));
  return { colors: await read('colors'), sizes: await read('sizes'), items: await read('items') };
}

/** Inserts or updates the rows that differ, and returns the number of written rows. */
export async function upsertAll(tx: Tx, rows: CatalogRows): Promise<number> {
  return (
    (await upsert(tx, byId(ColorEntity), rows.colors)) +
    (await upsert(tx, byId(SizeEntity), rows.sizes)) +
    (await upsert(tx, { entity: CategoryEntity, key: 'name' }, rows.categories)) +
    (await upsert(tx, byId(ItemEntity), rows.items)) +
    (await upsert(tx, byId(ItemVariantEntity), rows.variants)) +
    (await upsert(tx, byId(PrintPlaceEntity), rows.printPlaces))
  );
}

/**
 * Disables items and variants that are missing from the rows and were not imported, and deletes the
 * missing print places of the given variants. Returns the number of changed rows.
 */
async function disableMissing(tx: Tx, { items, variants, printPlaces }: CatalogRows): Promise<number> {
  const variantIds = variants.map(({ id }) => id);
  const itemIds = items.map(({ id }) => id);
  const disabledItems = await disable(tx, ItemEntity, 'version = 0 and not (id = any(:ids))', { ids: itemIds });
  const shipped = 'item_id in (select id from items where version = 0)';
  const disabledVariants = await disable(tx, ItemVariantEntity, `${shipped} and not (id = any(:ids))`, {
    ids: variantIds,
  });
  return disabledItems + disabledVariants + (await deleteMissingPlaces(tx, variantIds, printPlaces));
}

/**
 * Deletes the print places of variants that are missing from the rows. Returns the number of
 * deleted rows.
 */
async function deleteMissingPlaces(
  tx: Tx,
  variantIds: readonly number[],
  printPlaces: CatalogRows['printPlaces'],
): Promise<number> {
  const { affected } = await tx
    .createQueryBuilder()
    .delete()
    .from(PrintPlaceEntity)
    .where('item_variant_id = any(:variantIds) and not (id = any(:places))', {
      variantIds,
      places: printPlaces.map(({ id }) => id),
    })
    .execute();
  return affected ?? 0;
}

/** Disables the enabled rows that meet a condition, and returns the number of these rows. */
export async function disable(
  tx: Tx,
  entity: typeof ItemEntity | typeof ItemVariantEntity,
  condition: string,
  parameters: ObjectLiteral,
): Promise<number> {
  const { affected } = await tx
    .createQueryBuilder()
    .update<ItemEntity | ItemVariantEntity>(entity)
    .set({ enabled: false })
    .where(`enabled and ${condition}`, parameters)
    .execute();
  return affected ?? 0;
}

/**
 * Inserts or updates the rows that differ from the stored ones. Returns the number of written rows.
 */
async function upsert<Row extends ObjectLiteral>(
  tx: Tx,
  { entity, key }: Table<Row>,
  rows: readonly Row[],
): Promise<number> {
  const { columns } = tx.dataSource.getMetadata(entity);
  const others = columns.filter((column) => column.propertyName !== key).map((column) => column.databaseName);
  let written = 0;
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const result = await tx
      .createQueryBuilder()
      .insert()
      .into(entity)
      .values(rows.slice(from, from + rowsPerStatement))
      .orUpdate(others, [key], { skipUpdateIfNoValuesChanged: true })
      .returning([key])
      .updateEntity(false)
      .execute();
    written += (result.raw as unknown[]).length;
  }
  return written;
}
