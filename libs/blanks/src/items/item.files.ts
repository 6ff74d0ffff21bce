import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { projectPath } from '#config';
import { problems } from '#contracts';
import { DomainError, type FieldError } from '#kernel';
import { crossFileErrors } from './item-file.rules.js';
import { type CatalogFiles, Category, Color, Item, PrintPlaceName, Size } from './item-file.schema.js';

/**
 * Folder of the catalog's files that ship with the service: `colors.json`, `sizes.json`,
 * `categories.json`, `print-places.json` and `items/{name}/item.json`. Ids are part of the files
 * and never generated, because products and clients store them.
 */
export const blanksFolder = projectPath('blanks');

/** Returns the path of an error, for example `items/mug/item.json:variants.0.color`. */
const errorPath = (file: string, path: readonly PropertyKey[]): string =>
  path.length === 0 ? file : `${file}:${path.map(String).join('.')}`;

/**
 * Reads a file and validates it against a schema. Appends to `errors` and returns undefined if the
 * file is unreadable or invalid.
 */
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
  for (const issue of parsed.error.issues) errors.push({ path: errorPath(file, issue.path), message: issue.message });
  return undefined;
}

/**
 * Returns the names of the folders of items in alphabetical order, so that errors have the same
 * order on all machines. If the folder is unreadable, appends to `errors` and returns none.
 */
function itemFolders(folder: string, errors: FieldError[]): string[] {
  try {
    return readdirSync(join(folder, 'items')).sort();
  } catch (error) {
    errors.push({ path: 'items', message: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})` });
    return [];
  }
}

/**
 * Reads and validates the catalog's files: each file by its schema, then the valid files by the
 * rules of `crossFileErrors`.
 *
 * @throws DomainError `catalog.invalid` with all errors, each with its file and path
 */
export function readCatalogFiles(folder: string): CatalogFiles {
  const errors: FieldError[] = [];
  const colors = readFile(folder, 'colors.json', z.array(Color), errors);
  const sizes = readFile(folder, 'sizes.json', z.array(Size), errors);
  const categories = readFile(folder, 'categories.json', z.array(Category), errors);
  const printPlaces = readFile(folder, 'print-places.json', z.array(PrintPlaceName), errors);
  const items = itemFolders(folder, errors).flatMap((name) => {
    const item = readFile(folder, `items/${name}/item.json`, Item, errors);
    return item ? [{ folder: name, item }] : [];
  });
  errors.push(...crossFileErrors({ colors, sizes, categories, printPlaces, items }));
  if (colors && sizes && categories && printPlaces && errors.length === 0) {
    return { colors, sizes, categories, printPlaces, items: items.map(({ item }) => item) };
  }
  throw new DomainError(
    problems['catalog.invalid'],
    `The catalog files have ${errors.length} error(s). First error: ${errors[0]?.path} ${errors[0]?.message}`,
    errors,
  );
}
