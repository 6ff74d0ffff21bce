import { z } from 'zod';
import { BundleItem } from '../items/item-file.schema.js';

const { name, angles, printPlaces, variants } = BundleItem.shape;
const angle = angles.element.shape;
const place = printPlaces.element.shape;

/** A list with null in place of each invalid row; undefined when it is no list. */
const rowsOf = <Row extends z.ZodType>(row: Row) => z.array(row.nullable().catch(null)).optional().catch(undefined);

const Readable = z.object({
  name: name.optional().catch(undefined),
  isEmbroidery: z.boolean().catch(false),
  angles: rowsOf(z.object({ name: angle.name, printPlace: angle.printPlace.optional().catch(undefined) })),
  printPlaces: rowsOf(z.object({ name: place.name, millimetres: place.millimetres })),
  variants: rowsOf(z.object({ color: variants.element.shape.color })),
});

/** Fields of `item.json` that layers are checked against, without those that are invalid. */
export interface ReadableItem {
  readonly name: string | undefined;
  readonly isEmbroidery: boolean;
  readonly angles: readonly { readonly name: string; readonly printPlace?: string | undefined }[];
  readonly printPlaces: readonly { readonly name: string; readonly millimetres: { width: number; height: number } }[];
  /** True when variants have different colors. */
  readonly isColored: boolean;
}

/**
 * Reads the valid fields of an item, so that mistakes of `item.json` do not hide those of layers.
 *
 * @param folders names of the folders of layers, which are angles when `item.json` names them
 *   incompletely
 */
export function readableItem(item: unknown, folders: readonly string[]): ReadableItem {
  const { data } = Readable.safeParse(item);
  const isRow = <Row>(row: Row | null): row is Row => row !== null;
  const named = data?.angles?.filter(isRow) ?? [];
  const isComplete = data?.angles !== undefined && named.length === data.angles.length;
  const others = folders
    .filter((folder) => !named.some((it) => it.name === folder))
    .map((folder) => ({ name: folder }));
  return {
    name: data?.name,
    isEmbroidery: data?.isEmbroidery ?? false,
    angles: isComplete ? named : [...named, ...others],
    printPlaces: data?.printPlaces?.filter(isRow) ?? [],
    isColored: new Set(data?.variants?.filter(isRow).map(({ color }) => color)).size > 1,
  };
}
