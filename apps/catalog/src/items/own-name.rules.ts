import { firstAssignedId } from './item-import.rules.js';
import { type CatalogRows } from './item-row.rules.js';

interface Named {
  readonly id: number;
  readonly name: string;
}

/** Stored rows that an import has added. */
export interface OwnRows {
  readonly colors: readonly Named[];
  readonly sizes: readonly Named[];
  readonly items: readonly Named[];
}

/** Returns the stored rows that an import has added, see `firstAssignedId`. */
export const ownOf = (stored: readonly Named[]): Named[] => stored.filter(({ id }) => id >= firstAssignedId);

/**
 * Omits rows of the files whose names an operator has used before a release shipped them, because
 * products and clients have the ids of the operator's rows. Variants that ship get the operator's
 * color or size of the same name.
 *
 * @returns the remaining rows, and the omitted ones for the operator: `item mug`
 */
export function withoutOwn(rows: CatalogRows, own: OwnRows): { rows: CatalogRows; kept: string[] } {
  const taken = (part: keyof OwnRows): Map<number, number> => {
    const ids = new Map(own[part].map(({ name, id }) => [name, id]));
    return new Map(rows[part].flatMap(({ name, id }) => (ids.has(name) ? [[id, ids.get(name)!] as const] : [])));
  };
  const [colors, sizes, items] = [taken('colors'), taken('sizes'), taken('items')];
  const variants = rows.variants
    .filter(({ itemId }) => !items.has(itemId))
    .map((it) =>
      Object.assign({}, it, {
        colorId: colors.get(it.colorId) ?? it.colorId,
        sizeId: sizes.get(it.sizeId) ?? it.sizeId,
      }),
    );
  const variantIds = new Set(variants.map(({ id }) => id));
  const namesOf = (kind: string, list: readonly Named[], ids: ReadonlyMap<number, number>): string[] =>
    list.filter(({ id }) => ids.has(id)).map(({ name }) => `${kind} ${name}`);
  return {
    rows: {
      colors: rows.colors.filter(({ id }) => !colors.has(id)),
      sizes: rows.sizes.filter(({ id }) => !sizes.has(id)),
      categories: rows.categories,
      items: rows.items.filter(({ id }) => !items.has(id)),
      variants,
      printPlaces: rows.printPlaces.filter(({ itemVariantId }) => variantIds.has(itemVariantId)),
    },
    kept: [
      ...namesOf('item', rows.items, items),
      ...namesOf('color', rows.colors, colors),
      ...namesOf('size', rows.sizes, sizes),
    ],
  };
}
