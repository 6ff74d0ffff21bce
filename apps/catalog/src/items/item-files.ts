import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { projectPath } from '#config';
import { problems, ResizeMode } from '#contracts';
import { DomainError, type FieldError } from '#kernel';
import { rgbPattern } from './color.js';
import { brokenRules } from './item-file-rules.js';

/**
 * The catalogue as files: `colors.json`, `sizes.json`, `categories.json`, `print-places.json` and `items/{name}.json`.
 * Ids are written down, never counted, because products and clients keep them for ever.
 */

/** The files that ship with the service. */
export const catalogFolder = projectPath('apps', 'catalog', 'data');

const id = z.int({ error: 'must be an integer' }).min(1, { error: 'must be 1 or more' });
const price = z.int({ error: 'must be an integer' }).min(0, { error: 'must be 0 or more' });
/** Names stand in image and page URLs. */
const name = z.string().regex(/^[a-z0-9][a-z0-9-]*$/, { error: 'must consist of a-z, 0-9 and hyphens' });
const displayName = z.strictObject({ ja: z.string().min(1), en: z.string().min(1) });
const area = z.strictObject({ width: z.number().positive(), height: z.number().positive() });

const Color = z.strictObject({
  id,
  name,
  displayName,
  rgb: z.string().regex(rgbPattern, { error: 'must be #rrggbb in small letters' }),
});
const Size = z.strictObject({ id, name, displayName });
const Category = z.strictObject({ name, displayName, displayOrder: z.int() });
const PrintPlaceName = z.strictObject({ name, displayName });

const Variant = z.strictObject({
  id,
  color: name,
  size: name,
  /** Yen without tax and without print places. */
  price,
  enabled: z.boolean().default(true),
  /** The places this variant can be printed at, each with its id. */
  printPlaceIds: z.record(name, id),
});

const Item = z.strictObject({
  id,
  name,
  displayName,
  category: name,
  displayOrder: z.int(),
  isEmbroidery: z.boolean(),
  resizeModes: z.array(ResizeMode).min(1),
  defaultPrintPlace: name,
  exemplaryVariantId: id,
  imageDescriptions: z.array(z.string().min(1)),
  /** `price` is added when the place is printed; `pixels` is the artwork size to recommend for `millimetres`. */
  printPlaces: z.array(z.strictObject({ name, price, millimetres: area, pixels: area })).min(1),
  /** In display order; the first essential one is representative. One that is not essential is an extra angle. */
  angles: z.array(z.strictObject({ name, printPlace: name, essential: z.boolean() })),
  variants: z.array(Variant).min(1),
});

export type ColorFile = z.output<typeof Color>;
export type SizeFile = z.output<typeof Size>;
export type CategoryFile = z.output<typeof Category>;
export type PrintPlaceFile = z.output<typeof PrintPlaceName>;
export type ItemFile = z.output<typeof Item>;

export interface CatalogFiles {
  readonly colors: readonly ColorFile[];
  readonly sizes: readonly SizeFile[];
  readonly categories: readonly CategoryFile[];
  readonly printPlaces: readonly PrintPlaceFile[];
  readonly items: readonly ItemFile[];
}

/** Where something is wrong: `items/mug.json:variants.0.color`. */
const at = (file: string, path: readonly PropertyKey[]): string =>
  path.length === 0 ? file : `${file}:${path.map(String).join('.')}`;

/** Reads one file; what is wrong with it goes into `errors`, and the answer is undefined. */
function readFile<Shape extends z.ZodType>(
  folder: string,
  file: string,
  shape: Shape,
  errors: FieldError[],
): z.output<Shape> | undefined {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  } catch (error) {
    const reason =
      error instanceof SyntaxError
        ? 'is not JSON'
        : `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`;
    errors.push({ path: file, message: reason });
    return undefined;
  }
  const parsed = shape.safeParse(content);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) errors.push({ path: at(file, issue.path), message: issue.message });
  return undefined;
}

/** Names of the item files in alphabetical order, so that two machines report the same errors in the same order. */
function itemFiles(folder: string, errors: FieldError[]): string[] {
  try {
    return readdirSync(join(folder, 'items'))
      .filter((file) => file.endsWith('.json'))
      .sort();
  } catch (error) {
    errors.push({ path: 'items', message: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})` });
    return [];
  }
}

/**
 * Reads and checks the whole catalogue: the shape of each file, and the rules between all that could be read.
 *
 * @throws DomainError `catalog.invalid` with every error found, each naming its file and path
 */
export function readCatalogFiles(folder: string): CatalogFiles {
  const errors: FieldError[] = [];
  const colors = readFile(folder, 'colors.json', z.array(Color), errors);
  const sizes = readFile(folder, 'sizes.json', z.array(Size), errors);
  const categories = readFile(folder, 'categories.json', z.array(Category), errors);
  const printPlaces = readFile(folder, 'print-places.json', z.array(PrintPlaceName), errors);
  const items = itemFiles(folder, errors).flatMap((file) => {
    const item = readFile(folder, `items/${file}`, Item, errors);
    return item ? [{ file, item }] : [];
  });
  errors.push(...brokenRules({ colors, sizes, categories, printPlaces, items }));
  if (colors && sizes && categories && printPlaces && errors.length === 0) {
    return { colors, sizes, categories, printPlaces, items: items.map(({ item }) => item) };
  }
  throw new DomainError(
    problems['catalog.invalid'],
    `The catalogue files have ${errors.length} error(s). The first: ${errors[0]?.path} ${errors[0]?.message}`,
    errors,
  );
}
