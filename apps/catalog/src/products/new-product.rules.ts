import { type catalogMessages, type PayloadOf, problems, type ResizeMode, type TextureSource } from '#contracts';
import { type CatalogSnapshot, type CatalogVariant } from '../items/catalog.snapshot.js';
import { checkResizeMode, entriesOf, type Entry, noItem, orderableVariant } from './product-entry.rules.js';
import { ValidationErrors } from './validation-errors.rules.js';

export type WantedProduct = PayloadOf<typeof catalogMessages, 'materials.create'>['products'][number];

/** A further side to print, before its texture was taken in. `path` names it in errors. */
interface WantedPrint {
  readonly path: string;
  readonly place: string;
  readonly source: TextureSource;
  readonly enabled: boolean;
}

/** A product that can be made: every rule of the catalogue holds. */
export interface NewProduct {
  readonly itemId: number;
  readonly exemplaryVariantId: number;
  readonly published: boolean;
  readonly resizeMode: ResizeMode | null;
  readonly prints: readonly WantedPrint[];
}

/**
 * Checks the products of a request against the catalogue and says everything that is wrong at once.
 *
 * @throws DomainError 422 with the kind of the first refusal and a path for each
 */
export function newProducts(catalog: CatalogSnapshot, wanted: readonly WantedProduct[]): NewProduct[] {
  const errors = new ValidationErrors();
  const checked: NewProduct[] = [];
  for (const entry of entriesOf(catalog, wanted, errors)) checked.push(...newProduct(entry, errors));
  errors.throwIfAny();
  return checked;
}

/** None when the item has left the catalogue; whatever else is refused comes as far as it can be understood. */
export function newProduct(entry: Entry<WantedProduct>, errors: ValidationErrors): NewProduct[] {
  const { item, wanted, itemPath } = entry;
  if (!item.enabled) {
    errors.add(problems['item.not-found'], itemPath, noItem(item.id));
    return [];
  }
  if (item.isEmbroidery) errors.add(problems['item.embroidery'], itemPath, `${item.name} is embroidered`);
  const resizeMode = wanted.resizeMode ?? null;
  checkResizeMode(entry, resizeMode, errors);
  const variantId = wanted.exemplaryItemVariantId;
  const named = variantId === undefined ? undefined : orderableVariant(entry, variantId, errors);
  const variant = named ?? item.exemplaryVariant;
  return [
    {
      itemId: item.id,
      exemplaryVariantId: variant.id,
      published: wanted.published,
      resizeMode,
      prints: wantedPrints(entry, variant, errors),
    },
  ];
}

/** The default place carries the material itself, so that only the other places of the variant are left. */
function wantedPrints(
  { item, wanted, path }: Entry<WantedProduct>,
  variant: CatalogVariant,
  errors: ValidationErrors,
): WantedPrint[] {
  const seen = new Set([item.defaultPrintPlace]);
  return wanted.sub_materials.map(({ printSide: place, texture, enabled }, index) => {
    const at = `${path}.sub_materials.${index}`;
    const known = item.availablePrintPlaces.includes(place) && variant.printPlaces.some((it) => it.place === place);
    const no = (message: string) => errors.add(problems['print-place.not-of-item'], `${at}.printSide`, message);
    if (!known) no(`${item.name} cannot be printed there`);
    else if (place === item.defaultPrintPlace) no(`${place} carries the material itself`);
    else if (seen.has(place)) no(`${place} appears twice`);
    seen.add(place);
    return { path: `${at}.texture`, place, source: texture, enabled };
  });
}
