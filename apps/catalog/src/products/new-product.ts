import {
  type PayloadOf,
  type catalogMessages,
  problems,
  type Problem,
  type ResizeMode,
  type TextureSource,
} from '#contracts';
import { DomainError } from '#kernel';
import { type CatalogItem, type CatalogSnapshot, type CatalogVariant } from '../items/catalog-snapshot.js';

export type WantedProduct = PayloadOf<typeof catalogMessages, 'materials.create'>['products'][number];

/** A further side to print, before its texture was taken in. `path` names it in errors. */
export interface WantedPrint {
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

interface Refusal {
  readonly kind: Problem;
  readonly path: string;
  readonly message: string;
}

type Refuse = (kind: Problem, path: string, message: string) => void;

/**
 * Checks the products of a request against the catalogue and says everything that is wrong at once.
 *
 * @throws DomainError 422 with the kind of the first refusal and a path for each
 */
export function newProducts(catalog: CatalogSnapshot, wanted: readonly WantedProduct[]): NewProduct[] {
  const refusals: Refusal[] = [];
  const refuse: Refuse = (kind, path, message) => refusals.push({ kind, path, message });
  const items = new Set<number>();
  const checked = wanted.flatMap((product, index) => {
    const path = `body.products.${index}`;
    if (items.has(product.itemId)) {
      refuse(problems['product.duplicate-item'], `${path}.itemId`, `item ${product.itemId} appears twice`);
    }
    items.add(product.itemId);
    const item = itemOf(catalog, product, (kind, key, message) => refuse(kind, `${path}.${key}`, message));
    return item ? [newProduct({ catalog, item, product, path }, refuse)] : [];
  });
  const [first] = refusals;
  if (!first) return checked;
  const errors = refusals.map(({ path, message }) => ({ path, message }));
  throw new DomainError(first.kind, `${first.path}: ${first.message}`, errors);
}

function itemOf(catalog: CatalogSnapshot, { itemId }: WantedProduct, refuse: Refuse): CatalogItem | undefined {
  const item = catalog.item(itemId);
  if (!item?.enabled) {
    refuse(problems['item.not-found'], 'itemId', `there is no item ${itemId}`);
    return undefined;
  }
  if (item.isEmbroidery) refuse(problems['item.embroidery'], 'itemId', `${item.name} is embroidered`);
  return item;
}

interface Entry {
  readonly catalog: CatalogSnapshot;
  readonly item: CatalogItem;
  readonly product: WantedProduct;
  readonly path: string;
}

function newProduct(entry: Entry, refuse: Refuse): NewProduct {
  const { item, product, path } = entry;
  const resizeMode = product.resizeMode ?? null;
  if (resizeMode !== null && !item.resizeModes.includes(resizeMode)) {
    refuse(problems['resize-mode.not-allowed'], `${path}.resizeMode`, `${item.name} does not allow ${resizeMode}`);
  }
  const variant = exemplaryVariant(entry, refuse);
  return {
    itemId: item.id,
    exemplaryVariantId: variant.id,
    published: product.published,
    resizeMode,
    prints: wantedPrints(entry, variant, refuse),
  };
}

function exemplaryVariant({ catalog, item, product, path }: Entry, refuse: Refuse): CatalogVariant {
  const id = product.exemplaryItemVariantId;
  if (id === undefined) return item.exemplaryVariant;
  const at = `${path}.exemplaryItemVariantId`;
  const variant = catalog.variant(id);
  if (variant?.itemId !== item.id) {
    refuse(problems['item-variant.not-of-item'], at, `${item.name} has no variant ${id}`);
    return item.exemplaryVariant;
  }
  if (!variant.enabled) refuse(problems['item-variant.disabled'], at, `variant ${id} cannot be ordered`);
  return variant;
}

/** The default place carries the material itself, so that only the other places of the variant are left. */
function wantedPrints({ item, product, path }: Entry, variant: CatalogVariant, refuse: Refuse): WantedPrint[] {
  const seen = new Set([item.defaultPrintPlace]);
  return product.sub_materials.map(({ printSide: place, texture, enabled }, index) => {
    const at = `${path}.sub_materials.${index}`;
    const known = item.availablePrintPlaces.includes(place) && variant.printPlaces.some((it) => it.place === place);
    const no = (message: string) => refuse(problems['print-place.not-of-item'], `${at}.printSide`, message);
    if (!known) no(`${item.name} cannot be printed there`);
    else if (place === item.defaultPrintPlace) no(`${place} carries the material itself`);
    else if (seen.has(place)) no(`${place} appears twice`);
    seen.add(place);
    return { path: `${at}.texture`, place, source: texture, enabled };
  });
}
