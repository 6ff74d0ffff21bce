import { type CatalogSnapshot, type ItemCache } from '../items/item.cache.js';

/**
 * Returns a catalog that contains the variants of these rows, and at least the versions of their
 * items if the rows have them. Another process may have loaded an item and created a product of it
 * before the broadcast arrived here. A foreign key guarantees that the variant exists, so reloading
 * once is enough.
 *
 * @param current snapshot that the caller has already read
 */
export async function catalogForRows(
  rows: readonly { readonly variantId: number | null; readonly itemVersion?: number | null }[],
  catalog: ItemCache,
  current?: CatalogSnapshot,
): Promise<CatalogSnapshot> {
  const snapshot = current ?? (await catalog.current());
  const isComplete = rows.every(({ variantId, itemVersion }) => {
    if (variantId === null) return true;
    const variant = snapshot.variant(variantId);
    return variant !== undefined && snapshot.item(variant.itemId)!.version >= (itemVersion ?? 0);
  });
  if (isComplete) return snapshot;
  catalog.invalidate();
  return catalog.current();
}
