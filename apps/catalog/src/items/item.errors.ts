import { problems } from '#contracts';
import { DomainError } from '#kernel';

/** Messages of violated constraints, for editors of the catalog's files. */
const messages: Readonly<Record<string, string>> = {
  colors_name_unique: 'a color in the database has the same name but another id than in colors.json',
  sizes_name_unique: 'a size in the database has the same name but another id than in sizes.json',
  items_name_unique: 'an item in the database has the same name but another id than in the files',
  item_variants_combination_unique:
    'the variant id of a color and size combination cannot change, even if the variant is disabled',
  items_exemplary_variant: 'an exemplary variant must belong to its item',
  products_variant_fk: 'a variant that products reference cannot move to another item',
};

/** Returns the error of valid files that conflict with stored rows. */
export const conflictsWithStored = (constraint: string): DomainError =>
  new DomainError(
    problems['catalog.invalid'],
    messages[constraint] ?? `the files conflict with stored rows (constraint ${constraint})`,
  );
