import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { projectPath } from '#config';
import { problems } from '#contracts';
import { DomainError, type FieldError } from '#kernel';
import { brokenRules } from './item-file.rules.js';
import { type CatalogFiles, Category, Color, Item, PrintPlaceName, Size } from './item-file.schema.js';

/**
 * The catalogue as files: `colors.json`, `sizes.json`, `categories.json`, `print-places.json` and `items/{name}.json`.
 * Ids are written down, never counted, because products and clients keep them for ever.
 */

/** The files that ship with the service. */
export const catalogFolder = projectPath('apps', 'catalog', 'data');

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
