import { type CatalogSnapshot, type ItemCache } from '../items/item.cache.js';

/**
 * The catalogue that knows the variants of these rows. Another process may have loaded an item and made a product of it
 * before its broadcast arrived here. A foreign key makes sure that the item exists, so that loading once more is enough.
 *
 * @param current what is in memory, when that was looked at before
 */
export async function catalogOf(
  rows: readonly { readonly variantId: number | null }[],
  catalog: ItemCache,
  current?: CatalogSnapshot,
): Promise<CatalogSnapshot> {
  const known = current ?? (await catalog.current());
  if (rows.every(({ variantId }) => variantId === null || known.variant(variantId))) return known;
  catalog.invalidate();
  return catalog.current();
}
