import {
  type CategoryEntity,
  type ColorEntity,
  type DisplayName,
  type ItemEntity,
  type ItemVariantEntity,
  type PrintPlaceEntity,
  type SizeEntity,
} from './item.entity.js';
import { type CatalogFiles, type ItemFile } from '#blanks';

/** Rows of all tables that are loaded from the catalog's files. */
export interface CatalogRows {
  readonly colors: readonly ColorEntity[];
  readonly sizes: readonly SizeEntity[];
  readonly categories: readonly CategoryEntity[];
  readonly items: readonly ItemEntity[];
  readonly variants: readonly ItemVariantEntity[];
  readonly printPlaces: readonly PrintPlaceEntity[];
}

/**
 * Places whose display names every item has, because strict clients require both names even of
 * items without these places.
 */
const requiredPlaceNames = ['front', 'back'];

function itemRow(item: ItemFile, placeNames: ReadonlyMap<string, DisplayName>): ItemEntity {
  const places = item.printPlaces.map(({ name }) => name);
  const named = [...new Set([...places, ...requiredPlaceNames])];
  return {
    id: item.id,
    name: item.name,
    displayName: item.displayName,
    categoryName: item.category,
    displayOrder: item.displayOrder,
    isEmbroidery: item.isEmbroidery,
    resizeModes: item.resizeModes,
    availablePrintPlaces: places,
    defaultPrintPlace: item.defaultPrintPlace,
    printPlaceDisplayNames: Object.fromEntries(
      named.flatMap((name) => {
        const display = placeNames.get(name);
        return display ? [[name, display]] : [];
      }),
    ),
    printAreas: Object.fromEntries(
      item.printPlaces.map(({ name, millimetres, pixels }) => [name, { millimetres, pixels }]),
    ),
    printing: Object.fromEntries(item.printPlaces.map(({ name, printing }) => [name, printing])),
    angles: item.angles,
    imageDescriptions: item.imageDescriptions,
    exemplaryVariantId: item.exemplaryVariantId,
    enabled: true,
    version: 0,
    bundleHash: null,
    layers: null,
    blobs: [],
  };
}

function printPlaceRows(item: ItemFile): PrintPlaceEntity[] {
  const prices = new Map(item.printPlaces.map(({ name, price }) => [name, price]));
  return item.variants.flatMap(({ id: itemVariantId, printPlaceIds }) =>
    Object.entries(printPlaceIds).map(([place, id]) => ({ id, itemVariantId, place, price: prices.get(place)! })),
  );
}

/**
 * Returns the rows of validated files: names of colors and sizes are resolved to ids, and prices of
 * print places are copied to each variant.
 */
export function rowsOf(files: CatalogFiles): CatalogRows {
  const placeNames = new Map(files.printPlaces.map(({ name, displayName }) => [name, displayName]));
  const colorIds = new Map(files.colors.map(({ name, id }) => [name, id]));
  const sizeIds = new Map(files.sizes.map(({ name, id }) => [name, id]));
  return {
    colors: files.colors,
    sizes: files.sizes,
    categories: files.categories,
    items: files.items.map((item) => itemRow(item, placeNames)),
    variants: files.items.flatMap((item) =>
      item.variants.map(({ id, color, size, price, enabled }, position) => ({
        id,
        itemId: item.id,
        colorId: colorIds.get(color)!,
        sizeId: sizeIds.get(size)!,
        price,
        enabled,
        position,
      })),
    ),
    printPlaces: files.items.flatMap(printPlaceRows),
  };
}
