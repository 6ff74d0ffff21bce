import {
  type catalogMessages,
  effectiveResizeMode,
  type PayloadOf,
  type PlacementInput,
  problems,
  type ResizeMode,
  type StoredPlacement,
} from '#contracts';
import { type CatalogItem, type CatalogSnapshot } from '../items/catalog.snapshot.js';
import { difference } from './difference.rules.js';
import { validateNewProduct } from './new-product.rules.js';
import { changedPlacement } from './placement.rules.js';
import { draftOf, type ProductDraft } from './product-draft.rules.js';
import { type Artwork, type ProductPrint } from './product.rules.js';
import { checkResizeMode, entriesOf, type Entry, orderableVariant } from './product-entry.rules.js';
import { ValidationErrors } from './validation-errors.rules.js';

export type WantedChange = NonNullable<PayloadOf<typeof catalogMessages, 'materials.update'>['products']>[number];

/** Fields of a product that can change. */
export interface ProductFields {
  readonly exemplaryVariantId: number;
  readonly published: boolean;
  readonly resizeMode: ResizeMode | null;
  /** Position of the material's image; null = as fitted. */
  readonly placement: StoredPlacement | null;
  readonly prints: readonly ProductPrint[];
}

/** A stored product. `imageRevision` counts the changes of its images. */
export interface ProductState extends ProductFields {
  readonly id: number;
  readonly itemId: number;
  readonly itemName: string;
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
  readonly product: ProductDraft;
}

/**
 * Resolves each entry to a change of an existing product or a new one, and reports all errors at
 * once. Only changed values are validated: a product of a disabled item can still be published and
 * unpublished.
 *
 * @param products all stored products of the material
 * @param artwork the material's image
 * @returns changed and new products; unchanged ones are omitted
 * @throws DomainError 422 with the kind of the first error and a path for each
 */
export function validateProductChanges(
  catalog: CatalogSnapshot,
  products: readonly ProductState[],
  wanted: readonly WantedChange[],
  artwork: Artwork,
): { changed: ProductChange[]; created: CreatedProduct[] } {
  const errors = new ValidationErrors();
  const changed: ProductChange[] = [];
  const created: CreatedProduct[] = [];
  for (const entry of entriesOf(catalog, wanted, errors)) {
    const { item } = entry;
    const product = products.find(({ itemId }) => itemId === item.id);
    if (product) {
      const change = { ...changeOf(entry, product, errors), ...placementChange(entry, product, { artwork, errors }) };
      if (Object.keys(change).length > 0) changed.push({ product, item, change });
    } else {
      const news = validateNewProduct(asNew(entry), errors);
      placementsOf(entry, [], errors);
      created.push(...news.map((it) => ({ item, product: draftOf(it, artwork, errors) })));
    }
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

interface PlacementContext {
  /** The material's image. */
  readonly artwork: Artwork;
  readonly errors: ValidationErrors;
}

/**
 * Returns the changed placements. The matrix of each depends on the resize mode, so a new mode
 * changes the matrices of all placements of the product.
 */
function placementChange(
  { item, wanted, path }: Entry<WantedChange>,
  product: ProductState,
  { artwork, errors }: PlacementContext,
): Partial<Pick<ProductFields, 'placement' | 'prints'>> {
  const resizeMode = wanted.resizeMode === undefined ? product.resizeMode : wanted.resizeMode;
  const isRefitted = effectiveResizeMode(item, resizeMode) !== effectiveResizeMode(item, product.resizeMode);
  const target = { item, resizeMode, isRefitted, resizeModePath: `${path}.resizeMode` };
  const own = { place: item.defaultPrintPlace, artwork, given: wanted.placement, stored: product.placement };
  const placement = changedPlacement({ ...target, ...own, path: `${path}.placement` }, errors);
  const given = placementsOf({ wanted, path }, product.prints, errors);
  const prints = product.prints.map((print): ProductPrint => {
    const { placement: stored = null, ...rest } = print;
    const side = { place: print.place, artwork: print.artwork, stored, given: undefined, path };
    const placed = changedPlacement({ ...target, ...side, ...given.get(print.place) }, errors);
    return placed === stored ? print : { ...rest, ...(placed && { placement: placed }) };
  });
  const isChanged = prints.some((print, index) => print !== product.prints[index]);
  return { ...(placement !== product.placement && { placement }), ...(isChanged && { prints }) };
}

/**
 * Returns the placements of `sub_materials` by print place, and adds an error for each place
 * without an image. Entries without a placement change nothing.
 */
function placementsOf(
  { wanted, path }: Pick<Entry<WantedChange>, 'wanted' | 'path'>,
  prints: readonly ProductPrint[],
  errors: ValidationErrors,
) {
  const placements = new Map<string, { readonly given: PlacementInput | null; readonly path: string }>();
  for (const [index, { printSide, placement }] of (wanted.sub_materials ?? []).entries()) {
    if (placement === undefined) continue;
    const at = `${path}.sub_materials.${index}`;
    const reject = (message: string) => errors.add(problems['print-place.not-of-item'], `${at}.printSide`, message);
    if (printSide === undefined) reject('is required');
    else if (!prints.some(({ place }) => place === printSide)) reject(`the product has no image on ${printSide}`);
    else if (placements.has(printSide)) reject(`${printSide} appears twice`);
    else placements.set(printSide, { given: placement, path: `${at}.placement` });
  }
  return placements;
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
