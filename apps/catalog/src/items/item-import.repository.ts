import { Injectable } from '@nestjs/common';
import { type CatalogFiles, changedEntries, checkContent, invalidBundle, type ValidContent } from '#blanks';
import { type EventPayload, type ImportedBundle, problems } from '#contracts';
import { appendEvent, appendEvents } from '#events';
import { DomainError, type FieldError } from '#kernel';
import { Database, type Tx, violatedConstraint } from '#persistence';
import { ItemVariantEntity, ItemEntity } from './item.entity.js';
import { conflictsWithStored } from './item.errors.js';
import { filesOfImport, missedByProducts, removedParts, type StoredRows } from './item-import.rules.js';
import {
  lastOwnId,
  printedProducts,
  sharedEntries,
  type StoredImport,
  storedItem,
  storedLists,
  storedVariants,
} from './item-import.queries.js';
import { disable, lockItems, upsertAll } from './item.repository.js';
import { type CatalogRows, rowsOf } from './item-row.rules.js';

/** Materials whose images one transaction has rendered again. */
const materialsPerEvent = 200;

/** Items of the operator. */
@Injectable()
export class ItemImportRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds or replaces an item in one transaction, and appends `items.changed`. Variants that are not
   * in the bundle are disabled, because products reference them. With the version of the item the
   * images of its products get a new revision, see `imageRevisionOf`: for a new version
   * `item.updated` is appended, which has these images rendered.
   *
   * Colors, sizes and categories of the bundle replace stored ones of the same name, unless these
   * ship with the service or other items use them.
   *
   * @param shipped files that ship with the service
   * @returns the name of the item; `changed` false when this bundle is stored already. A retired
   *   item is offered again then, with its version, so that its images remain
   * @throws DomainError `catalog.invalid` with all mistakes, also for the name of an item that
   *   ships with the service, and for a new version without an angle or place that products use
   */
  async import(
    bundle: ImportedBundle,
    { printPlaces, categories }: Pick<CatalogFiles, 'printPlaces' | 'categories'>,
  ): Promise<{ name: string; changed: boolean; offeredAgain: boolean }> {
    try {
      return await this.database.transaction(async (tx) => {
        await lockItems(tx);
        const lists = await storedLists(tx);
        const { content, errors } = checkContent(bundle, { ...lists, printPlaces });
        if (!content) throw invalidBundle(errors);
        const { name } = content.item;
        const stored = await storedItem(tx, name);
        if (stored?.bundleHash === bundle.hash) {
          const offeredAgain = await enable(tx, stored);
          return { name, changed: offeredAgain, offeredAgain };
        }
        const variants = stored ? await storedVariants(tx, stored.id) : [];
        const shared = await sharedEntries(tx, lists, categories, stored?.id);
        const mistakes = [
          ...errors,
          ...changedEntries(content, { ...shared, printPlaces }),
          ...(stored ? await conflictsWithItem(tx, content.item, stored, variants) : []),
        ];
        if (mistakes.length > 0) throw invalidBundle(mistakes);
        let id = await lastOwnId(tx);
        const files = filesOfImport(content, { ...lists, item: stored, variants }, printPlaces, () => ++id);
        await tx.query(`select setval('own_ids', $1)`, [id]);
        await write(tx, files, { ...bundle, version: (stored?.version ?? 0) + 1 });
        return { name, changed: true, offeredAgain: false };
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
  retire(name: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      await lockItems(tx);
      const item = await storedItem(tx, name);
      if (!item || item.version === 0)
        throw new DomainError(problems['item.not-found'], `There is no imported item ${name}.`);
      const changed = await disable(tx, ItemEntity, 'id = :id', { id: item.id });
      if (changed > 0) await appendEvent(tx, 'items.changed', {});
    });
  }
}

/** Offers a retired item again. Returns false for an item that is offered. */
async function enable(tx: Tx, { id, enabled }: StoredImport): Promise<boolean> {
  if (enabled) return false;
  await tx.query('update items set enabled = true where id = $1', [id]);
  await appendEvent(tx, 'items.changed', {});
  return true;
}

async function conflictsWithItem(
  tx: Tx,
  item: ValidContent['item'],
  stored: StoredImport,
  variants: StoredRows['variants'],
): Promise<readonly FieldError[]> {
  if (stored.version === 0)
    return [{ path: 'item.json:name', message: `${item.name} is an item that ships with the service` }];
  const removed = removedParts(item, stored, variants);
  return removed.length === 0 ? [] : missedByProducts(removed, await printedProducts(tx, stored));
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
  await deleteMissingPlaces(tx, rows);
  await appendEvent(tx, 'items.changed', {});
  if (version > 1) await appendEvent(tx, 'item.updated', { itemId: item!.id, version, afterMaterialId: 0 });
}

/**
 * Deletes the print places that a variant of the bundle does not have any more. Disabled variants
 * keep those that the item has, because products of them may be printed there.
 */
async function deleteMissingPlaces(tx: Tx, { items: [item], variants, printPlaces }: CatalogRows): Promise<void> {
  await tx.query(
    `delete from print_places p using item_variants v
     where v.id = p.item_variant_id and v.item_id = $1 and not (p.id = any($2))
       and (v.id = any($3) or not (p.place = any($4)))`,
    [item!.id, printPlaces.map(({ id }) => id), variants.map(({ id }) => id), item!.availablePrintPlaces],
  );
}
