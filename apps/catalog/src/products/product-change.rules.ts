import { type catalogMessages, type PayloadOf, problems, type ResizeMode } from '#contracts';
import { type CatalogItem, type CatalogSnapshot } from '../items/catalog.snapshot.js';
import { difference } from './difference.rules.js';
import { newProduct, type NewProduct } from './new-product.rules.js';
import { type ProductPrint } from './product.rules.js';
import { checkResizeMode, entriesOf, type Entry, orderableVariant } from './product-entry.rules.js';
import { ValidationErrors } from './validation-errors.rules.js';

export type WantedChange = NonNullable<PayloadOf<typeof catalogMessages, 'materials.update'>['products']>[number];

/** What may be changed of a product. */
export interface ProductLooks {
  readonly exemplaryVariantId: number;
  readonly published: boolean;
  readonly resizeMode: ResizeMode | null;
}

/** A stored product. `imageRevision` counts how often its images became others. */
export interface ProductState extends ProductLooks {
  readonly id: number;
  readonly itemId: number;
  readonly itemName: string;
  readonly prints: readonly ProductPrint[];
  readonly imageRevision: number;
}

/** A stored product and what becomes another value. */
export interface ProductChange {
  readonly product: ProductState;
  readonly item: CatalogItem;
  readonly change: Partial<ProductLooks>;
}

/** A product that is made because the material had none of the item. */
interface MadeProduct {
  readonly item: CatalogItem;
  readonly product: NewProduct;
}

/**
 * Settles for each entry whether it changes a product of the material or makes one, and says everything that is wrong at
 * once. What is there may stay as it is and be published or hidden also when its item has left the catalogue; only what
 * becomes another value must obey the rules.
 *
 * @param products all of the material
 * @returns what differs; a product that already is as wanted is not among it
 * @throws DomainError 422 with the kind of the first refusal and a path for each
 */
export function productChanges(
  catalog: CatalogSnapshot,
  products: readonly ProductState[],
  wanted: readonly WantedChange[],
): { changed: ProductChange[]; made: MadeProduct[] } {
  const errors = new ValidationErrors();
  const changed: ProductChange[] = [];
  const made: MadeProduct[] = [];
  for (const entry of entriesOf(catalog, wanted, errors)) {
    const { item } = entry;
    const product = products.find(({ itemId }) => itemId === item.id);
    if (product) {
      const change = changeOf(entry, product, errors);
      if (Object.keys(change).length > 0) changed.push({ product, item, change });
    } else made.push(...newProduct(asNew(entry), errors).map((it) => ({ item, product: it })));
  }
  errors.throwIfAny();
  return { changed, made };
}

const asNew = (entry: Entry<WantedChange>) => ({
  ...entry,
  wanted: { ...entry.wanted, published: entry.wanted.published ?? false, sub_materials: [] },
});

function changeOf(entry: Entry<WantedChange>, product: ProductState, errors: ValidationErrors): Partial<ProductLooks> {
  const { exemplaryItemVariantId: exemplaryVariantId, published, resizeMode } = entry.wanted;
  const change = difference<ProductLooks>(product, { exemplaryVariantId, published, resizeMode });
  if (change.resizeMode !== undefined) checkResizeMode(entry, change.resizeMode, errors);
  if (change.exemplaryVariantId !== undefined)
    checkVariant({ ...entry, variantId: change.exemplaryVariantId }, product, errors);
  return change;
}

/** The sides that the product prints already must exist on its new variant too. */
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
