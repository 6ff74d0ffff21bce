import { problems, type ResizeMode } from '#contracts';
import { type CatalogItem, type CatalogSnapshot, type CatalogVariant } from '../items/catalog.snapshot.js';
import { type ValidationErrors } from './validation-errors.rules.js';

/** What an entry of `products` may say about its item and its looks. */
interface WantedLooks {
  readonly itemId?: number | undefined;
  readonly exemplaryItemVariantId?: number | undefined;
  readonly resizeMode?: ResizeMode | null | undefined;
}

/** An entry of `products` whose item is known. */
export interface Entry<Wanted extends WantedLooks> {
  readonly catalog: CatalogSnapshot;
  readonly item: CatalogItem;
  readonly wanted: Wanted;
  /** `body.products.0` */
  readonly path: string;
  /** The key that names the item. */
  readonly itemPath: string;
}

/**
 * Finds the item of each entry: the one it names, or the one of its variant. An item may appear once. One by one, so that
 * refusals stand in the order of the entries.
 */
export function* entriesOf<Wanted extends WantedLooks>(
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
      errors.add(problems['item.not-found'], itemPath, noItem(itemId));
    }
  }
}

export const noItem = (itemId: number | undefined): string =>
  itemId === undefined ? 'is missing' : `there is no item ${itemId}`;

/** A variant that may become the representative one: of the item, and one that can be ordered. */
export function orderableVariant(
  { catalog, item, path }: Entry<WantedLooks>,
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
  { item, path }: Entry<WantedLooks>,
  mode: ResizeMode | null,
  errors: ValidationErrors,
): void {
  if (mode === null || item.resizeModes.includes(mode)) return;
  errors.add(problems['resize-mode.not-allowed'], `${path}.resizeMode`, `${item.name} does not allow ${mode}`);
}
