import { type catalogMessages, type PayloadOf, problems, type ResizeMode, type TextureSource } from '#contracts';
import { type CatalogItem, type CatalogSnapshot, type CatalogVariant } from '../items/catalog.snapshot.js';
import { wantedPlacement, type WantedPlacement } from './placement.rules.js';
import { checkResizeMode, entriesOf, type Entry, missingItemMessage, orderableVariant } from './product-entry.rules.js';
import { ValidationErrors } from './validation-errors.rules.js';

export type WantedProduct = PayloadOf<typeof catalogMessages, 'materials.create'>['products'][number];

/**
 * An additional print whose texture is not stored yet. `path` is the JSON path of the texture in
 * the body, for errors.
 */
interface WantedPrint {
  readonly path: string;
  readonly place: string;
  readonly source: TextureSource;
  readonly enabled: boolean;
  readonly placement: WantedPlacement | null;
}

/** A product to create, with its item and variant. */
export interface NewProduct {
  readonly item: CatalogItem;
  readonly exemplaryVariantId: number;
  readonly published: boolean;
  readonly resizeMode: ResizeMode | null;
  /** Of the material's image. */
  readonly placement: WantedPlacement | null;
  readonly prints: readonly WantedPrint[];
}

/**
 * Validates the products of a request against the catalog and reports all errors at once.
 *
 * @throws DomainError 422 with the kind of the first error and a path for each
 */
export function validateNewProducts(catalog: CatalogSnapshot, wanted: readonly WantedProduct[]): NewProduct[] {
  const errors = new ValidationErrors();
  const valid: NewProduct[] = [];
  for (const entry of entriesOf(catalog, wanted, errors)) valid.push(...validateNewProduct(entry, errors));
  errors.throwIfAny();
  return valid;
}

/**
 * Validates one product and adds its errors. Returns an empty array for a disabled item, otherwise
 * the product, even if invalid.
 */
export function validateNewProduct(entry: Entry<WantedProduct>, errors: ValidationErrors): NewProduct[] {
  const { item, wanted, itemPath } = entry;
  if (!item.enabled) {
    errors.add(problems['item.not-found'], itemPath, missingItemMessage(item.id));
    return [];
  }
  if (item.isEmbroidery) errors.add(problems['item.embroidery'], itemPath, `${item.name} is embroidered`);
  const resizeMode = wanted.resizeMode ?? null;
  checkResizeMode(entry, resizeMode, errors);
  const variantId = wanted.exemplaryItemVariantId;
  const given = variantId === undefined ? undefined : orderableVariant(entry, variantId, errors);
  const variant = given ?? item.exemplaryVariant;
  return [
    {
      item,
      exemplaryVariantId: variant.id,
      published: wanted.published,
      resizeMode,
      placement: wantedPlacement(`${entry.path}.placement`, wanted.placement, errors),
      prints: wantedPrints(entry, variant, errors),
    },
  ];
}

/**
 * Returns the additional prints and adds an error for each invalid place. Valid places are those of
 * the variant, once each, except the default one, which has the material's image.
 */
function wantedPrints(
  { item, wanted, path }: Entry<WantedProduct>,
  variant: CatalogVariant,
  errors: ValidationErrors,
): WantedPrint[] {
  const seen = new Set([item.defaultPrintPlace]);
  return wanted.sub_materials.map(({ printSide: place, texture, enabled, placement }, index) => {
    const at = `${path}.sub_materials.${index}`;
    const isPrintable =
      item.availablePrintPlaces.includes(place) && variant.printPlaces.some((it) => it.place === place);
    const reject = (message: string) => errors.add(problems['print-place.not-of-item'], `${at}.printSide`, message);
    if (!isPrintable) reject(`${item.name} cannot be printed there`);
    else if (place === item.defaultPrintPlace) reject(`${place} is the default place, which has the material's image`);
    else if (seen.has(place)) reject(`${place} appears twice`);
    seen.add(place);
    const wantedAt = wantedPlacement(`${at}.placement`, placement, errors);
    return { path: `${at}.texture`, place, source: texture, enabled, placement: wantedAt };
  });
}
