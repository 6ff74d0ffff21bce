import { type Item, type Language, type ItemDetail, type PrintArea, type ResizeMode } from '#contracts';
import { commaSeparated, joinJson, normalizeText } from '#kernel';
import { entityTag } from '#request-queue';
import { contentHash } from '../content-hash.rules.js';
import { categoriesJson, type CategoryItem } from './category.json.js';
import {
  type ItemContext,
  itemOf,
  type ItemSettings,
  itemVariantOf,
  itemDetailOf,
  wearingAngleOf,
} from './item.json.js';
import { itemNamesJson } from './item-names.json.js';
import { type Printing } from '#blanks';
import { type StoredCatalog, type StoredItem, type StoredVariant } from './item.queries.js';

/** A color and size combination. Prices are whole yen without tax. */
export interface CatalogVariant {
  readonly id: number;
  readonly itemId: number;
  readonly color: { readonly id: number; readonly name: string; readonly displayName: string; readonly rgb: string };
  readonly size: { readonly id: number; readonly name: string; readonly displayName: string };
  readonly price: number;
  readonly exemplary: boolean;
  readonly enabled: boolean;
  readonly isLightColor: boolean;
  readonly isDarkColor: boolean;
  readonly printPlaces: readonly { readonly id: number; readonly place: string; readonly price: number }[];
  /** The ItemVariant as JSON, copied into responses. */
  readonly json: Buffer;
}

export interface CatalogItem {
  readonly id: number;
  readonly name: string;
  readonly humanizeName: string;
  /** All names of the item in every language, normalized for search, one per line. */
  readonly searchText: string;
  /**
   * False for an item that was removed from the catalog's files: existing products of the item
   * remain, new products are rejected, and the lists of items and categories omit the item.
   */
  readonly enabled: boolean;
  /** Number of imported versions; 0 for an item that ships with the service. */
  readonly version: number;
  /** Hash of the packed layers in the blob store. Null = those that ship with the service. */
  readonly layers: string | null;
  readonly displayOrder: number;
  readonly defaultPrintPlace: string;
  readonly availablePrintPlaces: readonly string[];
  readonly printPlaceDisplayNames: Readonly<Record<string, string>>;
  /** Print areas by print place. */
  readonly printAreas: Readonly<Record<string, PrintArea>>;
  /**
   * Requirements of the printer by print place. Empty until the catalog's files are loaded by a
   * version that has them.
   */
  readonly printing: Readonly<Record<string, Printing>>;
  readonly angles: readonly string[];
  /** The representative angle first. Empty only with `isEmbroidery`. */
  readonly essentialAngles: readonly string[];
  /** Angle of the image of the worn item. */
  readonly wearingAngle: string | undefined;
  readonly isEmbroidery: boolean;
  readonly resizeModes: readonly ResizeMode[];
  readonly variants: readonly CatalogVariant[];
  readonly exemplaryVariant: CatalogVariant;
  /** The Item as embedded in products, as JSON. */
  readonly json: Buffer;
  /** The item's ItemVariants as a JSON array. */
  readonly variantsJson: Buffer;
}

/**
 * Immutable snapshot of all items, with Japanese names. Disabled items are found by id and by name,
 * but are not in `items`. Disabled variants are found by id and are in the `variants` of their
 * item.
 */
export interface CatalogSnapshot {
  /** Hash of the content, equal in all replicas. */
  readonly id: string;
  readonly item: (id: number) => CatalogItem | undefined;
  readonly itemByName: (name: string) => CatalogItem | undefined;
  readonly variant: (id: number) => CatalogVariant | undefined;
  /**
   * Returns the ids of all items, disabled ones included, of which a name contains this normalized
   * word.
   */
  readonly itemsNamed: (word: string) => number[];
  /** Enabled items by display order. */
  readonly items: readonly CatalogItem[];
  /** Body of `GET /items`. */
  readonly listJson: Buffer;
  /** Strong entity tag of `listJson`, quotes included. */
  readonly etag: string;
  /** Body of `GET /categories`. */
  readonly categoriesJson: Buffer;
  /** Strong entity tag of `categoriesJson`, quotes included. */
  readonly categoriesEtag: string;
  /** Replies to `items.names` by language. */
  readonly namesJson: Readonly<Record<Language, Buffer>>;
  /** Returns the same catalog with the names of a language. Default: Japanese. */
  readonly in: (language?: Language) => CatalogSnapshot;
}

/**
 * Returns the revision of the images of a product: the number of changes of the product and of its
 * item. Both only grow, so a revision is never reused.
 */
export const imageRevisionOf = (productRevision: number, { version }: Pick<CatalogItem, 'version'>): number =>
  productRevision + Math.max(0, version - 1);

function buildItem(stored: StoredItem, variants: readonly CatalogVariant[], item: Item): CatalogItem {
  return {
    ...item,
    searchText: normalizeText([stored.name, stored.displayName.ja, stored.displayName.en].join('\n')),
    enabled: stored.enabled,
    version: stored.version,
    layers: stored.layers,
    wearingAngle: wearingAngleOf(stored),
    resizeModes: stored.resizeModes as ResizeMode[],
    printAreas: stored.printAreas,
    printing: stored.printing,
    variants,
    // A foreign key guarantees that the exemplary variant exists
    exemplaryVariant: variants.find(({ exemplary }) => exemplary)!,
    json: jsonBytes(item),
    variantsJson: joinJson(['[', ...commaSeparated(variants.map(({ json }) => [json])), ']']),
  };
}

const jsonBytes = (value: object): Buffer => Buffer.from(JSON.stringify(value));

/** Groups variants by the id of their item and preserves their order. */
function variantsByItem(stored: readonly StoredVariant[]): Map<number, StoredVariant[]> {
  const lists = new Map<number, StoredVariant[]>();
  for (const variant of stored) {
    const list = lists.get(variant.itemId);
    if (list) list.push(variant);
    else lists.set(variant.itemId, [variant]);
  }
  return lists;
}

/** Returns the snapshot of the rows, with all JSON of items that responses need. */
export function buildSnapshot(stored: StoredCatalog, settings: ItemSettings): CatalogSnapshot {
  const snapshots = new Map<Language, CatalogSnapshot>();
  const id = contentHash(stored);
  // Built on first use: many shops have no clients that request English names
  const inLanguage = (language: Language = 'ja'): CatalogSnapshot => {
    const snapshot = snapshots.get(language) ?? {
      id,
      in: inLanguage,
      ...snapshotIn(stored, { ...settings, language }),
    };
    snapshots.set(language, snapshot);
    return snapshot;
  };
  return inLanguage();
}

function snapshotIn(stored: StoredCatalog, context: ItemContext): Omit<CatalogSnapshot, 'id' | 'in'> {
  const storedVariants = variantsByItem(stored.variants);
  const items = new Map<number, CatalogItem>();
  const listed: ItemDetail[] = [];
  const categoryItems: CategoryItem[] = [];
  for (const row of stored.items) {
    const fields = (storedVariants.get(row.id) ?? []).map((it) => itemVariantOf(it, row, context));
    const variants = fields.map((variant) => ({ ...variant, itemId: row.id, json: jsonBytes(variant) }));
    const item = itemOf(row, context);
    const built = buildItem(row, variants, item);
    items.set(row.id, built);
    if (!row.enabled) continue;
    listed.push(itemDetailOf(item, row, fields, context.language));
    categoryItems.push({ stored: row, iconUrls: item.iconUrls, json: built.json.toString() });
  }
  const all = [...items.values()];
  const byName = new Map(all.map((item) => [item.name, item]));
  const variants = new Map(all.flatMap((item) => item.variants.map((variant) => [variant.id, variant] as const)));
  const listJson = jsonBytes({ items: listed });
  const categories = Buffer.from(categoriesJson(categoryItems));
  return {
    item: (id) => items.get(id),
    itemByName: (name) => byName.get(name),
    variant: (id) => variants.get(id),
    itemsNamed: (word) => all.filter(({ searchText }) => searchText.includes(word)).map(({ id }) => id),
    items: all.filter(({ enabled }) => enabled),
    listJson,
    etag: entityTag(listJson),
    categoriesJson: categories,
    categoriesEtag: entityTag(categories),
    namesJson: { en: Buffer.from(itemNamesJson(stored, 'en')), ja: Buffer.from(itemNamesJson(stored, 'ja')) },
  };
}
