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
  readonly variants: readonly {
    readonly id: number;
    readonly colorId: number;
    readonly sizeId: number;
    readonly printPlaceIds: Readonly<Record<string, number>>;
  }[];
}

/** First id that an import assigns. Lower ones are for the items that ship with the service. */
export const firstAssignedId = 100_000_000;

/** Returns the next free ids of each table. */
export interface NextIds {
  readonly color: () => number;
  readonly size: () => number;
  readonly item: () => number;
  readonly variant: () => number;
  readonly printPlace: () => number;
}

/** What the products of an item use of its stored version. */
export interface UsedByProducts {
  readonly products: number;
  readonly isEmbroidery: boolean;
  readonly angles: readonly string[];
  /** Print places, with the default one, which every product has. */
  readonly places: readonly string[];
}

/** Returns the mistakes of a new version without which images of products would disappear. */
export function missedByProducts(item: ValidContent['item'], used: UsedByProducts): FieldError[] {
  if (used.products === 0) return [];
  const products = used.products === 1 ? '1 product' : `${used.products} products`;
  const show = used.products === 1 ? 'shows' : 'show';
  const angles = new Set(item.angles.map(({ name }) => name));
  const places = new Set(item.printPlaces.map(({ name }) => name));
  const missing = (path: string, names: readonly string[]) =>
    names.map((name) => ({ path: `item.json:${path}`, message: `must have ${name}, which ${products} ${show}` }));
  return [
    ...missing(
      'angles',
      used.angles.filter((angle) => !angles.has(angle)),
    ),
    ...missing(
      'printPlaces',
      used.places.filter((place) => !places.has(place)),
    ),
    ...(item.isEmbroidery === used.isEmbroidery
      ? []
      : [
          { path: 'item.json:isEmbroidery', message: `must be ${used.isEmbroidery}, because the item has ${products}` },
        ]),
  ];
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
  next: NextIds,
): CatalogFiles {
  const colors = withIds(own.colors, stored.colors, next.color);
  const sizes = withIds(own.sizes, stored.sizes, next.size);
  const lists = {
    colors: [...stored.colors.filter(({ name }) => !colors.some((it) => it.name === name)), ...colors],
    sizes: [...stored.sizes.filter(({ name }) => !sizes.some((it) => it.name === name)), ...sizes],
  };
  const variants = item.variants.map((variant): ItemFile['variants'][number] => {
    const colorId = lists.colors.find(({ name }) => name === variant.color)!.id;
    const sizeId = lists.sizes.find(({ name }) => name === variant.size)!.id;
    const before = stored.variants.find((it) => it.colorId === colorId && it.sizeId === sizeId);
    const places = variant.printPlaceIds
      ? Object.keys(variant.printPlaceIds)
      : item.printPlaces.map(({ name }) => name);
    return {
      ...variant,
      id: before?.id ?? next.variant(),
      printPlaceIds: Object.fromEntries(
        places.map((place) => [place, before?.printPlaceIds[place] ?? next.printPlace()]),
      ),
    };
  });
  const representative = item.variants.findIndex(({ id }) => id !== undefined && id === item.exemplaryVariantId);
  const complete: ItemFile = {
    ...item,
    id: stored.item?.id ?? next.item(),
    exemplaryVariantId: (variants[representative] ?? variants.find(({ enabled }) => enabled)!).id,
    variants,
  };
  const printPlaces = [...knownPlaces, ...own.printPlaces];
  return { ...lists, categories: [...own.categories], printPlaces, items: [complete] };
}
