import { type CatalogFiles, type ItemFile, type ValidContent } from '#blanks';
import { type FieldError } from '#kernel';

interface Named {
  readonly id: number;
  readonly name: string;
}

/** Rows of the catalog that an imported item may refer to or replace. */
export interface StoredRows {
  readonly colors: CatalogFiles['colors'];
  readonly sizes: CatalogFiles['sizes'];
  readonly categories: CatalogFiles['categories'];
  readonly item: { readonly id: number } | undefined;
  /** Variants of the item with their print places, disabled ones included. */
  readonly variants: readonly StoredVariant[];
}

interface StoredVariant {
  readonly id: number;
  readonly colorId: number;
  readonly color: string;
  readonly sizeId: number;
  readonly size: string;
  readonly printPlaceIds: Readonly<Record<string, number>>;
}

/** First id that an import assigns. Lower ones are for the items that ship with the service. */
export const firstAssignedId = 100_000_000;

/** Stored version of an item. */
export interface StoredVersion {
  readonly isEmbroidery: boolean;
  readonly angles: readonly string[];
  readonly places: readonly string[];
  readonly defaultPlace: string;
}

/** Number of the products of an exemplary variant that are printed at a place. */
export interface PrintedProducts {
  readonly variantId: number;
  readonly place: string;
  readonly products: number;
}

/** A part of the stored version that a new version does not have. */
interface RemovedPart {
  readonly path: string;
  /** Place at which the products that use the part are printed, and their exemplary variant. */
  readonly place: string;
  readonly variantId?: number;
  readonly message: (products: number) => string;
}

const mustHave = (name: string) => (products: number) =>
  `must have ${name}, which ${products === 1 ? '1 product shows' : `${products} products show`}`;

/** Returns the parts of the stored version that a new version does not have. */
export function removedParts(
  item: ValidContent['item'],
  stored: StoredVersion,
  variants: readonly StoredVariant[],
): RemovedPart[] {
  const angles = new Set(item.angles.map(({ name }) => name));
  const places = new Set(item.printPlaces.map(({ name }) => name));
  // Every product is printed there
  const place = stored.defaultPlace;
  const parts = [
    ...stored.angles
      .filter((angle) => !angles.has(angle))
      .map((angle) => ({ path: 'angles', place, message: mustHave(angle) })),
    ...stored.places
      .filter((name) => !places.has(name))
      .map((name) => ({ path: 'printPlaces', place: name, message: mustHave(name) })),
    ...item.variants.flatMap((variant, index) => {
      const before = variants.find(({ color, size }) => color === variant.color && size === variant.size);
      const { printPlaceIds } = variant;
      if (!before || !printPlaceIds) return [];
      return Object.keys(before.printPlaceIds)
        .filter((name) => places.has(name) && !Object.hasOwn(printPlaceIds, name))
        .map((name) => ({
          path: `variants.${index}.printPlaceIds`,
          place: name,
          variantId: before.id,
          message: mustHave(`${name} of ${variant.color}/${variant.size}`),
        }));
    }),
    ...(item.isEmbroidery === stored.isEmbroidery
      ? []
      : [
          {
            path: 'isEmbroidery',
            place,
            message: (products: number) =>
              `must be ${stored.isEmbroidery}, because the item has ${products === 1 ? '1 product' : `${products} products`}`,
          },
        ]),
  ];
  return parts.map(({ path, ...part }) => ({ path: `item.json:${path}`, ...part }));
}

/** Returns the mistakes of a new version without parts that products use. */
export function missedByProducts(removed: readonly RemovedPart[], printed: readonly PrintedProducts[]): FieldError[] {
  return removed.flatMap(({ path, place, variantId, message }) => {
    const count = printed
      .filter((it) => it.place === place && (variantId === undefined || it.variantId === variantId))
      .reduce((sum, { products }) => sum + products, 0);
    return count === 0 ? [] : [{ path, message: message(count) }];
  });
}

/** Adds ids to the entries of a bundle. A stored entry of the same name keeps its id. */
function withIds<Row extends { readonly name: string }, Stored extends Named>(
  own: readonly Row[],
  stored: readonly Stored[],
  next: () => number,
): (Row & { readonly id: number })[] {
  return own.map((row) => ({ ...row, id: stored.find(({ name }) => name === row.name)?.id ?? next() }));
}

/**
 * Returns the files of a catalog with the imported item alone, with all ids: those of stored rows
 * of the same name, color and size, or the next free ones. Ids of the bundle are ignored, because
 * they may be those of the item that it is a copy of.
 *
 * @param knownPlaces display names of the print places of the catalog
 */
export function filesOfImport(
  { item, ...own }: ValidContent,
  stored: StoredRows,
  knownPlaces: CatalogFiles['printPlaces'],
  nextId: () => number,
): CatalogFiles {
  const colors = withIds(own.colors, stored.colors, nextId);
  const sizes = withIds(own.sizes, stored.sizes, nextId);
  const lists = {
    colors: [...stored.colors.filter(({ name }) => !colors.some((it) => it.name === name)), ...colors],
    sizes: [...stored.sizes.filter(({ name }) => !sizes.some((it) => it.name === name)), ...sizes],
  };
  const variants = item.variants.map((variant): ItemFile['variants'][number] => {
    const colorId = lists.colors.find(({ name }) => name === variant.color)!.id;
    const sizeId = lists.sizes.find(({ name }) => name === variant.size)!.id;
    const before = stored.variants.find((it) => it.colorId === colorId && it.sizeId === sizeId);
    // A place may be named constructor
    const placeIds = new Map(Object.entries(before?.printPlaceIds ?? {}));
    const places = variant.printPlaceIds
      ? Object.keys(variant.printPlaceIds)
      : item.printPlaces.map(({ name }) => name);
    return {
      ...variant,
      id: before?.id ?? nextId(),
      printPlaceIds: Object.fromEntries(places.map((place) => [place, placeIds.get(place) ?? nextId()])),
    };
  });
  const representative = item.variants.findIndex(({ id }) => id !== undefined && id === item.exemplaryVariantId);
  const complete: ItemFile = {
    ...item,
    id: stored.item?.id ?? nextId(),
    exemplaryVariantId: (variants[representative] ?? variants.find(({ enabled }) => enabled)!).id,
    variants,
  };
  const printPlaces = [...knownPlaces, ...own.printPlaces];
  return { ...lists, categories: [...own.categories], printPlaces, items: [complete] };
}
