import { type catalogMessages, type PayloadOf, problems, type ResizeMode } from '#contracts';
import { type CatalogItem, type CatalogSnapshot } from '../items/catalog.snapshot.js';
import { difference } from './difference.rules.js';
import { validateNewProduct, type NewProduct } from './new-product.rules.js';
import { type ProductPrint } from './product.rules.js';
import { checkResizeMode, entriesOf, type Entry, orderableVariant } from './product-entry.rules.js';
import { ValidationErrors } from './validation-errors.rules.js';

export type WantedChange = NonNullable<PayloadOf<typeof catalogMessages, 'materials.update'>['products']>[number];

/** Fields of a product that can change. */
export interface ProductFields {
  readonly exemplaryVariantId: number;
  readonly published: boolean;
  readonly resizeMode: ResizeMode | null;
}

/** A stored product. `imageRevision` counts the changes of its images. */
export interface ProductState extends ProductFields {
  readonly id: number;
  readonly itemId: number;
  readonly itemName: string;
  readonly prints: readonly ProductPrint[];
  readonly imageRevision: number;
  /**
   * Revision in the last event of the product: its number of changes of the visibility to all
   * users.
   */
  readonly revision: number;
}

/** A stored product and its changed fields. */
export interface ProductChange {
  readonly product: ProductState;
  readonly item: CatalogItem;
  readonly change: Partial<ProductFields>;
}

/** A product to create, of an item of which the material has no product. */
interface CreatedProduct {
  readonly item: CatalogItem;
  readonly product: NewProduct;
}

/**
 * Resolves each entry to a change of an existing product or a new one, and reports all errors at
 * once. Only changed values are validated: a product of a disabled item can still be published and
 * unpublished.
 *
 * @param products all stored products of the material
 * @returns changed and new products; unchanged ones are omitted
 * @throws DomainError 422 with the kind of the first error and a path for each
 */
export function validateProductChanges(
  catalog: CatalogSnapshot,
  products: readonly ProductState[],
  wanted: readonly WantedChange[],
): { changed: ProductChange[]; created: CreatedProduct[] } {
  const errors = new ValidationErrors();
  const changed: ProductChange[] = [];
  const created: CreatedProduct[] = [];
  for (const entry of entriesOf(catalog, wanted, errors)) {
    const { item } = entry;
    const product = products.find(({ itemId }) => itemId === item.id);
    if (product) {
      const change = changeOf(entry, product, errors);
      if (Object.keys(change).length > 0) changed.push({ product, item, change });
    } else created.push(...validateNewProduct(asNew(entry), errors).map((it) => ({ item, product: it })));
  }
  errors.throwIfAny();
  return { changed, created };
}

const asNew = (entry: Entry<WantedChange>) => ({
  ...entry,
  wanted: { ...entry.wanted, published: entry.wanted.published ?? false, sub_materials: [] },
});

function changeOf(entry: Entry<WantedChange>, product: ProductState, errors: ValidationErrors): Partial<ProductFields> {
  const { exemplaryItemVariantId: exemplaryVariantId, published, resizeMode } = entry.wanted;
  const change = difference<ProductFields>(product, { exemplaryVariantId, published, resizeMode });
  if (change.resizeMode !== undefined) checkResizeMode(entry, change.resizeMode, errors);
  if (change.exemplaryVariantId !== undefined)
    checkVariant({ ...entry, variantId: change.exemplaryVariantId }, product, errors);
  return change;
}

/** Validates the new variant, which must have all print places of the product. */
function checkVariant(
  entry: Entry<WantedChange> & { readonly variantId: number },
  { prints }: ProductState,
  errors: ValidationErrors,
): void {
  const variant = orderableVariant(entry, entry.variantId, errors);
  if (!variant) return;
  for (const { place } of prints) {
    if (variant.printPlaces.some((it) => it.place === place)) continue;
    const at = `${entry.path}.exemplaryItemVariantId`;
    errors.add(problems['print-place.not-of-item'], at, `variant ${variant.id} cannot be printed on ${place}`);
  }
}
