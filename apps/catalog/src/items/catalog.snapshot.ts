import { type Item, type Language, type ListedItem, type PrintArea, type ResizeMode } from '#contracts';
import { commaSeparated, joinJson, normalised } from '#kernel';
import { entityTag } from '#request-queue';
import { categoriesJson, type CategoryItem } from './category.json.js';
import { itemOf, type ItemSettings, itemVariantOf, listedItemOf } from './item.json.js';
import { itemNamesJson } from './item-names.json.js';
import { type StoredCatalog, type StoredItem, type StoredVariant } from './item.queries.js';

/** A colour and size combination. Prices are whole yen without tax. */
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
  /** The ItemVariant as JSON, ready to be copied into an answer. */
  readonly json: Buffer;
}

export interface CatalogItem {
  readonly id: number;
  readonly name: string;
  readonly humanizeName: string;
  /** All its names, in every language, as search compares them: one on each line. */
  readonly searchText: string;
  /** False when the item has left the catalogue: products of it live on, new ones are not made, lists omit it. */
  readonly enabled: boolean;
  readonly displayOrder: number;
  readonly defaultPrintPlace: string;
  readonly availablePrintPlaces: readonly string[];
  readonly printPlaceDisplayNames: Readonly<Record<string, string>>;
  /** By print place. */
  readonly printAreas: Readonly<Record<string, PrintArea>>;
  readonly angles: readonly string[];
  /** At least one, the representative one first, unless `isEmbroidery`. */
  readonly essentialAngles: readonly string[];
  /** The print place that an angle shows. */
  readonly printPlaceOfAngle: ReadonlyMap<string, string>;
  readonly isEmbroidery: boolean;
  readonly resizeModes: readonly ResizeMode[];
  readonly variants: readonly CatalogVariant[];
  readonly exemplaryVariant: CatalogVariant;
  /** The Item as embedded in products, as JSON. */
  readonly json: Buffer;
  /** JSON array of the item's ItemVariants. */
  readonly variantsJson: Buffer;
}

/** All items at one moment. Items and variants that have left the catalogue are found by id, and absent from `items`. */
export interface CatalogSnapshot {
  readonly item: (id: number) => CatalogItem | undefined;
  readonly itemByName: (name: string) => CatalogItem | undefined;
  readonly variant: (id: number) => CatalogVariant | undefined;
  /** Ids of the items, withdrawn ones included, with a name that has this word of a search in it. */
  readonly itemsNamed: (word: string) => number[];
  /** Enabled items by display order. */
  readonly items: readonly CatalogItem[];
  /** Body of `GET /items`. */
  readonly listJson: Buffer;
  /** Strong entity tag of `listJson`, with its quotes. */
  readonly etag: string;
  /** Body of `GET /categories`. */
  readonly categoriesJson: Buffer;
  /** Strong entity tag of `categoriesJson`, with its quotes. */
  readonly categoriesEtag: string;
  /** Bodies of answers to `items.names`. */
  readonly namesJson: Readonly<Record<Language, Buffer>>;
}

function buildItem(stored: StoredItem, variants: readonly CatalogVariant[], item: Item): CatalogItem {
  return {
    ...item,
    searchText: normalised([stored.name, stored.displayName.ja, stored.displayName.en].join('\n')),
    enabled: stored.enabled,
    resizeModes: stored.resizeModes as ResizeMode[],
    printAreas: stored.printAreas,
    printPlaceOfAngle: new Map(stored.angles.map(({ name, printPlace }) => [name, printPlace])),
    variants,
    // A foreign key says that it exists
    exemplaryVariant: variants.find(({ exemplary }) => exemplary)!,
    json: jsonBytes(item),
    variantsJson: joinJson(['[', ...commaSeparated(variants.map(({ json }) => [json])), ']']),
  };
}

const jsonBytes = (value: object): Buffer => Buffer.from(JSON.stringify(value));

/** Variants by the id of their item, each list in the order it came. */
function variantsByItem(stored: readonly StoredVariant[]): Map<number, StoredVariant[]> {
  const lists = new Map<number, StoredVariant[]>();
  for (const variant of stored) {
    const list = lists.get(variant.itemId);
    if (list) list.push(variant);
    else lists.set(variant.itemId, [variant]);
  }
  return lists;
}

/** Everything the API says about items, made once from one reading of the tables. */
export function buildSnapshot(stored: StoredCatalog, settings: ItemSettings): CatalogSnapshot {
  const storedVariants = variantsByItem(stored.variants);
  const items = new Map<number, CatalogItem>();
  const listed: ListedItem[] = [];
  const offered: CategoryItem[] = [];
  for (const row of stored.items) {
    const answers = (storedVariants.get(row.id) ?? []).map((it) => itemVariantOf(it, row, settings.taxPercent));
    const variants = answers.map((answer) => ({ ...answer, itemId: row.id, json: jsonBytes(answer) }));
    const item = itemOf(row, settings);
    const built = buildItem(row, variants, item);
    items.set(row.id, built);
    if (!row.enabled) continue;
    listed.push(listedItemOf(item, row, answers));
    offered.push({ stored: row, iconUrls: item.iconUrls, json: built.json.toString() });
  }
  const all = [...items.values()];
  const byName = new Map(all.map((item) => [item.name, item]));
  const variants = new Map(all.flatMap((item) => item.variants.map((variant) => [variant.id, variant] as const)));
  const listJson = jsonBytes({ items: listed });
  const categories = Buffer.from(categoriesJson(offered));
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
