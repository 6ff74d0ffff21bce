import { type CatalogSnapshot, type ItemCache } from '../items/item.cache.js';

/**
 * Returns a catalog that contains the variants of these rows. Another process may have loaded an
 * item and created a product of it before the broadcast arrived here. A foreign key guarantees that
 * the variant exists, so reloading once is enough.
 *
 * @param current snapshot that the caller has already read
 */
export async function catalogForRows(
  rows: readonly { readonly variantId: number | null }[],
  catalog: ItemCache,
  current?: CatalogSnapshot,
): Promise<CatalogSnapshot> {
  const snapshot = current ?? (await catalog.current());
  if (rows.every(({ variantId }) => variantId === null || snapshot.variant(variantId))) return snapshot;
  catalog.invalidate();
  return catalog.current();
}
