import { Injectable } from '@nestjs/common';
import { type ReplyOf, type catalogMessages } from '#contracts';
import { ItemCache } from './item.cache.js';
import { blanksFolder, readCatalogFiles } from '#blanks';
import { ItemRepository } from './item.repository.js';
import { rowsOf } from './item-row.rules.js';

export type LoadedCounts = ReplyOf<typeof catalogMessages, 'items.load'>;

@Injectable()
export class ItemService {
  constructor(
    private readonly repository: ItemRepository,
    private readonly catalog: ItemCache,
  ) {}

  /**
   * Replaces the catalog with the content of the files. Idempotent: the same files change nothing.
   *
   * @returns the numbers of items, variants, colors and sizes in the files
   * @throws DomainError `catalog.invalid` with all errors of the files, or without a list when the
   *   files conflict with stored rows; nothing is written then
   */
  async load(folder = blanksFolder): Promise<LoadedCounts> {
    const files = readCatalogFiles(folder);
    const rows = rowsOf(files);
    const changed = await this.repository.replace(rows);
    // Invalidated without the broadcast, which arrives later: the operator's next request must show
    // the change
    if (changed) this.catalog.invalidate();
    return {
      items: rows.items.length,
      variants: rows.variants.length,
      colors: rows.colors.length,
      sizes: rows.sizes.length,
    };
  }
}
