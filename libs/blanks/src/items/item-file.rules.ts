import { type FieldError } from '#kernel';
import { type BundleItem, type ItemFile } from './item-file.schema.js';

/**
 * Lists that items refer to. A list is undefined if its file is unreadable or invalid; references
 * to it are not checked then.
 */
export interface Vocabulary {
  readonly colors: Rows;
  readonly sizes: Rows;
  readonly categories: Rows;
  readonly printPlaces: Rows;
}

type Rows = readonly { readonly id?: number | undefined; readonly name: string }[] | undefined;

/** Content of the files that match their schema. Invalid item files are omitted. */
interface ReadFiles extends Vocabulary {
  readonly items: readonly { readonly folder: string; readonly item: ItemFile }[];
}

export type Report = (path: string, message: string) => void;

/**
 * Reports each row that has the key of an earlier row. Lists with a shared `seen` are checked as
 * one list.
 */
function reportDuplicates<Row>(
  rows: readonly Row[],
  key: (row: Row) => string | number,
  report: (index: number, value: string | number) => void,
  seen = new Set<string | number>(),
): void {
  rows.forEach((row, index) => {
    const value = key(row);
    if (seen.has(value)) report(index, value);
    seen.add(value);
  });
}

const isDefined = (rows: readonly { name: string }[] | undefined, name: string): boolean =>
  rows === undefined || rows.some((row) => row.name === name);

export function checkList(file: string, rows: Rows, report: Report): void {
  const duplicateOf = (field: string) => (index: number, value: string | number) =>
    report(`${file}:${index}.${field}`, `${value} appears twice`);
  reportDuplicates(rows ?? [], (row) => row.name, duplicateOf('name'));
  reportDuplicates(
    (rows ?? []).filter((row) => row.id !== undefined),
    (row) => row.id!,
    duplicateOf('id'),
  );
}

/** Returns the whole pixels of a length in millimetres. */
const wholePixels = (millimetres: number, dpi: number): number => Math.floor((millimetres * dpi) / 25.4);

function checkPrinting(
  { millimetres, pixels, printing }: BundleItem['printPlaces'][number],
  isEmbroidery: boolean,
  report: Report,
): void {
  const { technique, dpi, bleed, safeZone, colorSpace, whiteUnderbase, mirror, hidden = [] } = printing;
  const shortEdge = Math.min(millimetres.width, millimetres.height);
  if (2 * bleed >= shortEdge) report('bleed', 'is larger than the area');
  if (2 * safeZone >= shortEdge) report('safeZone', 'covers the whole area');
  if (pixels.width < wholePixels(millimetres.width, dpi) || pixels.height < wholePixels(millimetres.height, dpi))
    report('dpi', 'is higher than that of pixels');
  if ((technique === 'embroidery') !== isEmbroidery)
    report('technique', `must ${isEmbroidery ? '' : 'not '}be embroidery`);
  hidden.forEach(({ x, y, width, height }, index) => {
    if (x + width > millimetres.width || y + height > millimetres.height)
      report(`hidden.${index}`, 'is outside of the area');
  });
  if (mirror && technique !== 'sublimation') report('mirror', 'is for sublimation only');
  if (whiteUnderbase !== 'none' && colorSpace !== 'rgb')
    report('whiteUnderbase', 'needs an alpha channel, which only rgb has');
}

function checkPrintPlaces(item: BundleItem, files: Vocabulary, report: Report): void {
  reportDuplicates(
    item.printPlaces,
    ({ name }) => name,
    (index, name) => report(`printPlaces.${index}.name`, `${name} appears twice`),
  );
  item.printPlaces.forEach((place, index) => {
    const { name, millimetres, pixels } = place;
    if (!isDefined(files.printPlaces, name)) report(`printPlaces.${index}.name`, `${name} is not in print-places.json`);
    // Allows for pixels rounded to whole numbers
    if (Math.abs((pixels.width * millimetres.height) / millimetres.width - pixels.height) > 1)
      report(`printPlaces.${index}.pixels`, 'has another aspect ratio than millimetres');
    checkPrinting(place, item.isEmbroidery, (field, message) =>
      report(`printPlaces.${index}.printing.${field}`, message),
    );
  });
  if (!isDefined(item.printPlaces, item.defaultPrintPlace))
    report('defaultPrintPlace', `${item.defaultPrintPlace} is not in printPlaces`);
}

function checkAngles(item: BundleItem, report: Report): void {
  reportDuplicates(
    item.angles,
    ({ name }) => name,
    (index, name) => report(`angles.${index}.name`, `${name} appears twice`),
  );
  item.angles.forEach(({ printPlace, essential, wearing }, index) => {
    if (!isDefined(item.printPlaces, printPlace))
      report(`angles.${index}.printPlace`, `${printPlace} is not in printPlaces`);
    if (essential && wearing) report(`angles.${index}.wearing`, 'is for angles that are not essential');
  });
  // Embroidery items are only listed: products of them are never created or rendered
  if (item.isEmbroidery) return;
  const representative = item.angles.find(({ essential }) => essential);
  if (representative?.printPlace !== item.defaultPrintPlace) {
    report('angles', `the first essential angle must show ${item.defaultPrintPlace}`);
  }
}

function checkVariants(item: BundleItem, files: Vocabulary, report: Report): void {
  reportDuplicates(
    item.variants,
    ({ color, size }) => `${color}/${size}`,
    (index, combination) => report(`variants.${index}`, `${combination} appears twice`),
  );
  item.variants.forEach(({ color, size, printPlaceIds }, index) => {
    const path = `variants.${index}`;
    if (!isDefined(files.colors, color)) report(`${path}.color`, `${color} is not in colors.json`);
    if (!isDefined(files.sizes, size)) report(`${path}.size`, `${size} is not in sizes.json`);
    if (printPlaceIds === undefined) return;
    for (const place of Object.keys(printPlaceIds)) {
      if (!isDefined(item.printPlaces, place)) report(`${path}.printPlaceIds.${place}`, 'is not in printPlaces');
    }
    if (!Object.hasOwn(printPlaceIds, item.defaultPrintPlace))
      report(`${path}.printPlaceIds`, `lacks the default place ${item.defaultPrintPlace}`);
  });
  if (!item.variants.some(({ enabled }) => enabled)) report('variants', 'are all disabled');
  if (item.exemplaryVariantId === undefined) return;
  const exemplary = item.variants.find(({ id }) => id === item.exemplaryVariantId);
  if (!exemplary) report('exemplaryVariantId', `${item.exemplaryVariantId} is not in variants`);
  else if (!exemplary.enabled) report('exemplaryVariantId', `${item.exemplaryVariantId} is not enabled`);
}

/** Reports the violations of rules within an item, and of its references to the lists. */
export function checkItem(item: BundleItem, files: Vocabulary, report: Report): void {
  if (!isDefined(files.categories, item.category)) report('category', `${item.category} is not in categories.json`);
  checkPrintPlaces(item, files, report);
  checkAngles(item, report);
  checkVariants(item, files, report);
}

/**
 * Returns the violations of the rules that a schema cannot express, within a file and between
 * files, each with its file and path.
 */
export function crossFileErrors(files: ReadFiles): FieldError[] {
  const errors: FieldError[] = [];
  const report: Report = (path, message) => errors.push({ path, message });
  checkList('colors.json', files.colors, report);
  checkList('sizes.json', files.sizes, report);
  checkList('categories.json', files.categories, report);
  checkList('print-places.json', files.printPlaces, report);

  const itemIds = new Set<string | number>();
  const variantIds = new Set<string | number>();
  const printPlaceIds = new Set<string | number>();
  for (const { folder, item } of files.items) {
    const inItem: Report = (path, message) => report(`items/${folder}/item.json:${path}`, message);
    reportDuplicates(
      [item],
      ({ id }) => id,
      (_, id) => inItem('id', `${id} is the id of another item`),
      itemIds,
    );
    reportDuplicates(
      item.variants,
      ({ id }) => id,
      (index, id) => inItem(`variants.${index}.id`, `${id} appears twice`),
      variantIds,
    );
    item.variants.forEach((variant, index) =>
      reportDuplicates(
        Object.entries(variant.printPlaceIds),
        ([, id]) => id,
        (_, id) => inItem(`variants.${index}.printPlaceIds`, `${id} appears twice`),
        printPlaceIds,
      ),
    );
    if (folder !== item.name) inItem('name', `${item.name} is not the name of the folder`);
    checkItem(item, files, inItem);
  }
  return errors;
}
