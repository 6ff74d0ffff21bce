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
   * because products reference them. Missing print places of the given variants are deleted;
   * missing colors, sizes and categories remain.
   *
   * @returns whether a row changed
   * @throws DomainError `catalog.invalid` when the rows conflict with stored rows; nothing is
   *   written then
   */
  async replace(rows: CatalogRows): Promise<boolean> {
    try {
      return await this.database.transaction(async (tx) => {
        // Serializes concurrent loads, each of which would otherwise see only a part of the other's
        // changes
        await tx.query(`select pg_advisory_xact_lock(hashtext('catalog.items.load'))`);
        const changed = (await this.disableMissing(tx, rows)) + (await this.upsertAll(tx, rows));
        if (changed > 0) await appendEvent(tx, 'items.changed', {});
        return changed > 0;
      });
    } catch (error) {
      const constraint = violatedConstraint(error);
      if (constraint) throw conflictsWithStored(constraint);
      throw error;
    }
  }

  private async upsertAll(tx: Tx, rows: CatalogRows): Promise<number> {
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
   * Disables items and variants that are missing from the rows, and deletes the missing print
   * places of the given variants. Returns the number of changed rows.
   */
  private async disableMissing(tx: Tx, { items, variants, printPlaces }: CatalogRows): Promise<number> {
    const variantIds = variants.map(({ id }) => id);
    const disabledItems = await disableExcept(
      tx,
      ItemEntity,
      items.map(({ id }) => id),
    );
    const disabledVariants = await disableExcept(tx, ItemVariantEntity, variantIds);
    const { affected } = await tx
      .createQueryBuilder()
      .delete()
      .from(PrintPlaceEntity)
      .where('item_variant_id = any(:variantIds) and not (id = any(:places))', {
        variantIds,
        places: printPlaces.map(({ id }) => id),
      })
      .execute();
    return disabledItems + disabledVariants + (affected ?? 0);
  }
}

/** Disables the enabled rows whose id is not among `ids`, and returns the number of these rows. */
async function disableExcept(
  tx: Tx,
  entity: typeof ItemEntity | typeof ItemVariantEntity,
  ids: number[],
): Promise<number> {
  const { affected } = await tx
    .createQueryBuilder()
    .update<ItemEntity | ItemVariantEntity>(entity)
    .set({ enabled: false })
    .where('enabled and not (id = any(:ids))', { ids })
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
