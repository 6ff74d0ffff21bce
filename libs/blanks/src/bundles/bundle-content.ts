import { isDeepStrictEqual } from 'node:util';
import { type FieldError } from '#kernel';
import { z } from 'zod';
import { checkItem, checkList, type Report, type Vocabulary } from '../items/item-file.rules.js';
import { BundleColor, BundleItem, BundleSize, Category, PrintPlaceName } from '../items/item-file.schema.js';

/** Parsed JSON files of a bundle. A missing list is empty, an unreadable file is undefined. */
export interface BundleContent {
  readonly item: unknown;
  readonly colors: unknown;
  readonly sizes: unknown;
  readonly categories: unknown;
  readonly printPlaces: unknown;
}

/** File of each part of the content. */
export const contentFiles = {
  item: 'item.json',
  colors: 'colors.json',
  sizes: 'sizes.json',
  categories: 'categories.json',
  printPlaces: 'print-places.json',
} as const satisfies Record<keyof BundleContent, string>;

/** Valid content of a bundle. The lists have only the entries of the bundle. */
export interface ValidContent {
  readonly item: BundleItem;
  readonly colors: BundleColor[];
  readonly sizes: BundleSize[];
  readonly categories: z.output<typeof Category>[];
  readonly printPlaces: z.output<typeof PrintPlaceName>[];
}

interface CheckedContent {
  /** Undefined when a file is invalid by its schema. */
  readonly content: ValidContent | undefined;
  /** All mistakes, each with its file and path. */
  readonly errors: readonly FieldError[];
}

const listOf = <Row extends z.ZodType>(row: Row) => z.array(row).max(500);

/**
 * Checks the fields of an item, and its references to the lists of the catalog and of the bundle.
 *
 * @param vocabulary lists of the catalog
 */
export function checkContent(content: BundleContent, vocabulary: Vocabulary): CheckedContent {
  const errors: FieldError[] = [];
  const report: Report = (path, message) => errors.push({ path, message });
  const parse = <Shape extends z.ZodType>(part: keyof BundleContent, shape: Shape): z.output<Shape> | undefined => {
    const { data, error } = shape.safeParse(content[part]);
    for (const { path, message } of error?.issues ?? []) {
      const file = contentFiles[part];
      report(path.length === 0 ? file : `${file}:${path.map(String).join('.')}`, message);
    }
    return data;
  };
  const item = parse('item', BundleItem);
  const own = {
    colors: parse('colors', listOf(BundleColor)),
    sizes: parse('sizes', listOf(BundleSize)),
    categories: parse('categories', listOf(Category)),
    printPlaces: parse('printPlaces', listOf(PrintPlaceName)),
  };
  const mergedListOf = (part: keyof typeof own): Vocabulary['colors'] => {
    checkList(contentFiles[part], own[part], report);
    return vocabulary[part] && own[part] && [...vocabulary[part], ...own[part]];
  };
  const lists = {
    colors: mergedListOf('colors'),
    sizes: mergedListOf('sizes'),
    categories: mergedListOf('categories'),
    printPlaces: mergedListOf('printPlaces'),
  };
  if (item) checkItem(item, lists, (path, message) => report(`item.json:${path}`, message));
  const { colors, sizes, categories, printPlaces } = own;
  const isValid = item && colors && sizes && categories && printPlaces;
  return { content: isValid ? { item, colors, sizes, categories, printPlaces } : undefined, errors };
}

/**
 * Returns an error for each entry of a bundle that differs from the one of the same name. Ids are
 * not compared: an import assigns them.
 *
 * @param others entries that a bundle may not change
 */
export function changedEntries(content: ValidContent, others: Vocabulary): FieldError[] {
  const valuesOf = (row: object) => ({ ...row, id: undefined });
  return (['colors', 'sizes', 'categories', 'printPlaces'] as const).flatMap((part) =>
    content[part].flatMap((row, index) => {
      const other = others[part]?.find(({ name }) => name === row.name);
      return other && !isDeepStrictEqual(valuesOf(row), valuesOf(other))
        ? [{ path: `${contentFiles[part]}:${index}`, message: 'is in the catalog with other values' }]
        : [];
    }),
  );
}
