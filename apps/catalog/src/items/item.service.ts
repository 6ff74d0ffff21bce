import { Injectable } from '@nestjs/common';
import { type ReplyOf, type catalogMessages } from '#contracts';
import { ItemCache } from './item.cache.js';
import { catalogFolder, readCatalogFiles } from './item.files.js';
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
   * Makes the catalogue what the files say. Loading the same files twice changes nothing.
   *
   * @returns how many items, variants, colours and sizes the files have
   * @throws DomainError `catalog.invalid` naming everything that is wrong; nothing is written
   */
  async load(folder = catalogFolder): Promise<LoadedCounts> {
    const files = readCatalogFiles(folder);
    const rows = rowsOf(files);
    const changed = await this.repository.replace(rows);
    // Invalidated here as well as by the broadcast, which arrives later: the operator's next request shows the change
    if (changed) this.catalog.invalidate();
    return {
      items: rows.items.length,
      variants: rows.variants.length,
      colors: rows.colors.length,
      sizes: rows.sizes.length,
    };
  }
}
