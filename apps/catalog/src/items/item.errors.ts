import { problems } from '#contracts';
import { DomainError } from '#kernel';

/** What each constraint means to somebody who edits the files. */
const meanings: Readonly<Record<string, string>> = {
  colors_name_unique: 'a colour in the database has the name of another id in colors.json',
  sizes_name_unique: 'a size in the database has the name of another id in sizes.json',
  items_name_unique: 'an item in the database has the name of another id in the files',
  item_variants_combination_unique: 'a colour and size combination keeps its variant id, even when it was disabled',
  items_exemplary_variant: 'an exemplary variant must belong to its item',
  products_variant_fk: 'a variant that products name cannot move to another item',
};

/** The files are valid by themselves but contradict ids that are in use. */
export const conflictsWithStored = (constraint: string): DomainError =>
  new DomainError(
    problems['catalog.invalid'],
    meanings[constraint] ?? `the files contradict what is stored (constraint ${constraint})`,
  );
