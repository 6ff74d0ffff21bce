import { Injectable } from '@nestjs/common';
import {
  type catalogMessages,
  type ImportedBundle,
  type ImportedItem,
  type ItemDetails,
  type ReplyOf,
} from '#contracts';
import { ItemCache } from './item.cache.js';
import { blanksFolder, readCatalogFiles } from '#blanks';
import { ItemImportRepository } from './item-import.repository.js';
import { ImportedItemQueries } from './imported-item.queries.js';
import { ItemRepository } from './item.repository.js';
import { rowsOf } from './item-row.rules.js';

export type Imported = ReplyOf<typeof catalogMessages, 'blanks.import'>;
export type LoadedCounts = ReplyOf<typeof catalogMessages, 'items.load'>;

@Injectable()
export class ItemService {
  constructor(
    private readonly repository: ItemRepository,
    private readonly imports: ItemImportRepository,
    private readonly importedItems: ImportedItemQueries,
    private readonly catalog: ItemCache,
  ) {}

  imported(): Promise<ImportedItem[]> {
    return this.importedItems.list();
  }

  /** Returns the keys of blobs that imported items use. */
  usedBlobs(keys: readonly string[]): Promise<string[]> {
    return this.importedItems.usedBlobs(keys);
  }

  /** @throws DomainError `item.not-found` */
  details(name: string): Promise<ItemDetails> {
    return this.importedItems.details(name);
  }

  /** @throws as `ItemImportRepository.import` */
  async import(bundle: ImportedBundle): Promise<Imported> {
    const { name, changed, offeredAgain } = await this.imports.import(bundle, readCatalogFiles(blanksFolder));
    if (changed) this.catalog.invalidate();
    return { item: await this.importedItems.one(name), changed, offeredAgain };
  }

  /** @throws DomainError `item.not-found` */
  async retire(name: string): Promise<ImportedItem> {
    await this.imports.retire(name);
    this.catalog.invalidate();
    return this.importedItems.one(name);
  }

  /**
   * Replaces the catalog with the content of the files. Idempotent: the same files change nothing.
   *
   * @param withoutItems disables the items of the files. Colors, sizes, categories and print places
   *   remain for those of the operator
   * @returns the numbers of items, variants, colors and sizes in the files; `kept` has the names of
   *   the operator that the files have, too, and that remain as they are
   * @throws DomainError `catalog.invalid` with all errors of the files, or without a list when the
   *   files conflict with stored rows; nothing is written then
   */
  async load(folder = blanksFolder, withoutItems = false): Promise<LoadedCounts> {
    const files = readCatalogFiles(folder);
    const rows = rowsOf(withoutItems ? { ...files, items: [] } : files);
    const { changed, kept } = await this.repository.replace(rows);
    // Invalidated without the broadcast, which arrives later: the operator's next request must show
    // the change
    if (changed) this.catalog.invalidate();
    return {
      items: rows.items.length,
      variants: rows.variants.length,
      colors: rows.colors.length,
      sizes: rows.sizes.length,
      kept,
    };
  }
}
