import { blanksFolder, changedEntries, readCatalogFiles, type ValidContent } from '#blanks';
import { type FieldError } from '#kernel';
import { printable } from '../command-line/table.js';

/** Part of a bundle that ships with this release in another form. */
type Note = FieldError;

/** Returns the lists that ship with this release, which items of a bundle may refer to. */
export function shippedLists() {
  const { colors, sizes, categories, printPlaces } = readCatalogFiles(blanksFolder);
  return { colors, sizes, categories, printPlaces };
}

/**
 * Returns what an import may reject. Only the catalog knows whether the name or entry was the
 * operator's before a release shipped it.
 */
export function shippedNotes(content: ValidContent): Note[] {
  const { items, ...lists } = readCatalogFiles(blanksFolder);
  const { name } = content.item;
  const found = [
    ...(items.some((item) => item.name === name)
      ? [{ path: 'item.json:name', message: `${name} is an item that ships with the service` }]
      : []),
    ...changedEntries(content, lists),
  ];
  return found.map(({ path, message }) => ({ path, message: `${message}. An import accepts it only if it is yours.` }));
}

export const noteLines = (notes: readonly Note[]): string[] =>
  notes.map(({ path, message }) => printable(`Note: ${path}: ${message}`));
