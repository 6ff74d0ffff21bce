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

/**
 * Adds ids to the entries of a bundle. A stored entry of the same name keeps its id, and must have
 * the same values, because other items use it.
 */
function withIds<Row extends { readonly name: string }, Stored extends Named>(
  own: readonly Row[],
  stored: readonly Stored[],
  next: () => number,
  isSame: (row: Row, other: Stored) => boolean,
  report: (index: number) => void,
): (Row & { readonly id: number })[] {
  return own.map((row, index) => {
    const other = stored.find(({ name }) => name === row.name);
    if (other && !isSame(row, other)) report(index);
    return { ...row, id: other?.id ?? next() };
  });
}

/**
 * Returns the files of a catalog with the imported item alone, with all ids: those of stored rows
 * of the same name, color and size, or the next free ones. Ids of the bundle are ignored, because
 * they may be those of the item that it is a copy of.
 *
 * @param knownPlaces display names of the print places of the catalog
 * @returns errors when entries of the bundle differ from stored ones
 */
export function filesOfImport(
  { item, ...own }: ValidContent,
  stored: StoredRows,
  knownPlaces: CatalogFiles['printPlaces'],
  next: NextIds,
): { files: CatalogFiles; errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const differs = (file: string) => (index: number) =>
    errors.push({ path: `${file}:${index}`, message: 'is in the catalog with other values' });
  const sameName = (one: { displayName: object }, other: { displayName: object }): boolean =>
    // jsonb does not preserve the order of keys
    Object.entries(one.displayName).every(
      ([language, name]) => (other.displayName as Record<string, unknown>)[language] === name,
    );
  const colors = withIds(
    own.colors,
    stored.colors,
    next.color,
    (one, other) => one.rgb === other.rgb && sameName(one, other),
    differs('colors.json'),
  );
  const sizes = withIds(own.sizes, stored.sizes, next.size, sameName, differs('sizes.json'));
  own.printPlaces.forEach((place, index) => {
    const other = knownPlaces.find(({ name }) => name === place.name);
    if (other && !sameName(place, other)) differs('print-places.json')(index);
  });
  own.categories.forEach((category, index) => {
    const other = stored.categories.find(({ name }) => name === category.name);
    if (other && !(sameName(category, other) && category.displayOrder === other.displayOrder))
      differs('categories.json')(index);
  });
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
  return { files: { ...lists, categories: [...own.categories], printPlaces, items: [complete] }, errors };
}
