import { problems, type ResizeMode } from '#contracts';
import { type CatalogItem, type CatalogSnapshot, type CatalogVariant } from '../items/catalog.snapshot.js';
import { type ValidationErrors } from './validation-errors.rules.js';

/** Fields of an entry of `products` that these rules validate. */
interface EntryFields {
  readonly itemId?: number | undefined;
  readonly exemplaryItemVariantId?: number | undefined;
  readonly resizeMode?: ResizeMode | null | undefined;
}

/** An entry of `products` with its item. */
export interface Entry<Wanted extends EntryFields> {
  readonly catalog: CatalogSnapshot;
  readonly item: CatalogItem;
  readonly wanted: Wanted;
  /** Path of the entry, for example `body.products.0`. */
  readonly path: string;
  /** Path of the field that determines the item. */
  readonly itemPath: string;
}

/**
 * Finds the item of each entry, by its item id or else by its variant id. An item may appear once.
 * Yields entries one by one, so that errors are in the order of the entries.
 */
export function* entriesOf<Wanted extends EntryFields>(
  catalog: CatalogSnapshot,
  products: readonly Wanted[],
  errors: ValidationErrors,
): Generator<Entry<Wanted>> {
  const seen = new Set<number>();
  for (const [index, wanted] of products.entries()) {
    const path = `body.products.${index}`;
    const { itemId, exemplaryItemVariantId: variantId } = wanted;
    const byVariant = itemId === undefined && variantId !== undefined;
    const itemPath = `${path}.${byVariant ? 'exemplaryItemVariantId' : 'itemId'}`;
    const item = catalog.item((byVariant ? catalog.variant(variantId)?.itemId : itemId) ?? 0);
    if (item) {
      if (seen.has(item.id)) errors.add(problems['product.duplicate-item'], itemPath, `item ${item.id} appears twice`);
      seen.add(item.id);
      yield { catalog, item, wanted, path, itemPath };
    } else if (byVariant) {
      errors.add(problems['item-variant.not-of-item'], itemPath, `no item has a variant ${variantId}`);
    } else {
      errors.add(problems['item.not-found'], itemPath, missingItemMessage(itemId));
    }
  }
}

export const missingItemMessage = (itemId: number | undefined): string =>
  itemId === undefined ? 'is required' : `item ${itemId} does not exist`;

/**
 * Returns the variant if it belongs to the item, even if it is disabled. Adds an error for a
 * disabled variant, and for a variant that does not belong to the item.
 */
export function orderableVariant(
  { catalog, item, path }: Entry<EntryFields>,
  variantId: number,
  errors: ValidationErrors,
): CatalogVariant | undefined {
  const at = `${path}.exemplaryItemVariantId`;
  const variant = catalog.variant(variantId);
  if (variant?.itemId !== item.id) {
    errors.add(problems['item-variant.not-of-item'], at, `${item.name} has no variant ${variantId}`);
    return undefined;
  }
  if (!variant.enabled) errors.add(problems['item-variant.disabled'], at, `variant ${variantId} cannot be ordered`);
  return variant;
}

export function checkResizeMode(
  { item, path }: Entry<EntryFields>,
  mode: ResizeMode | null,
  errors: ValidationErrors,
): void {
  if (mode === null || item.resizeModes.includes(mode)) return;
  errors.add(problems['resize-mode.not-allowed'], `${path}.resizeMode`, `${item.name} does not allow ${mode}`);
}
