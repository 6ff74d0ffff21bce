import { type FieldError } from '#kernel';
import {
  type CategoryFile,
  type ColorFile,
  type ItemFile,
  type PrintPlaceFile,
  type SizeFile,
} from './item-file.schema.js';

/** What could be read. A list whose file could not be is undefined, and nothing is said about references to it. */
interface ReadFiles {
  readonly colors: readonly ColorFile[] | undefined;
  readonly sizes: readonly SizeFile[] | undefined;
  readonly categories: readonly CategoryFile[] | undefined;
  readonly printPlaces: readonly PrintPlaceFile[] | undefined;
  readonly items: readonly { readonly file: string; readonly item: ItemFile }[];
}

type Report = (path: string, message: string) => void;

/** Says where a value appears that an earlier one already has. `seen` may live longer than one list. */
function reportRepeated<Row>(
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

const known = (rows: readonly { name: string }[] | undefined, name: string): boolean =>
  rows === undefined || rows.some((row) => row.name === name);

function checkList(file: string, rows: readonly { id?: number; name: string }[] | undefined, report: Report): void {
  const repeated = (field: string) => (index: number, value: string | number) =>
    report(`${file}:${index}.${field}`, `${value} appears twice`);
  reportRepeated(rows ?? [], (row) => row.name, repeated('name'));
  reportRepeated(
    (rows ?? []).filter((row) => row.id !== undefined),
    (row) => row.id!,
    repeated('id'),
  );
}

/** An artwork that fits the pixels must fit the millimetres: their proportions may differ by rounding only. */
const proportionTolerance = 0.01;

function checkPrintPlaces(item: ItemFile, files: ReadFiles, report: Report): void {
  reportRepeated(
    item.printPlaces,
    ({ name }) => name,
    (index, name) => report(`printPlaces.${index}.name`, `${name} appears twice`),
  );
  item.printPlaces.forEach(({ name, millimetres, pixels }, index) => {
    if (!known(files.printPlaces, name)) report(`printPlaces.${index}.name`, `${name} is not in print-places.json`);
    const stretch = (pixels.width / pixels.height) * (millimetres.height / millimetres.width);
    if (Math.abs(stretch - 1) > proportionTolerance)
      report(`printPlaces.${index}.pixels`, 'has other proportions than millimetres');
  });
  if (!known(item.printPlaces, item.defaultPrintPlace))
    report('defaultPrintPlace', `${item.defaultPrintPlace} is not in printPlaces`);
}

function checkAngles(item: ItemFile, report: Report): void {
  reportRepeated(
    item.angles,
    ({ name }) => name,
    (index, name) => report(`angles.${index}.name`, `${name} appears twice`),
  );
  item.angles.forEach(({ printPlace }, index) => {
    if (!known(item.printPlaces, printPlace))
      report(`angles.${index}.printPlace`, `${printPlace} is not in printPlaces`);
  });
  // An embroidery item is listed only: no product of it is ever made or drawn
  if (item.isEmbroidery) return;
  const representative = item.angles.find(({ essential }) => essential);
  if (representative?.printPlace !== item.defaultPrintPlace) {
    report('angles', `the first essential angle must show ${item.defaultPrintPlace}`);
  }
}

function checkVariants(item: ItemFile, files: ReadFiles, report: Report): void {
  reportRepeated(
    item.variants,
    ({ color, size }) => `${color}/${size}`,
    (index, combination) => report(`variants.${index}`, `${combination} appears twice`),
  );
  item.variants.forEach(({ color, size, printPlaceIds }, index) => {
    const path = `variants.${index}`;
    if (!known(files.colors, color)) report(`${path}.color`, `${color} is not in colors.json`);
    if (!known(files.sizes, size)) report(`${path}.size`, `${size} is not in sizes.json`);
    for (const place of Object.keys(printPlaceIds)) {
      if (!known(item.printPlaces, place)) report(`${path}.printPlaceIds.${place}`, 'is not in printPlaces');
    }
    if (!(item.defaultPrintPlace in printPlaceIds))
      report(`${path}.printPlaceIds`, `lacks the default place ${item.defaultPrintPlace}`);
  });
  const exemplary = item.variants.find(({ id }) => id === item.exemplaryVariantId);
  if (!exemplary) report('exemplaryVariantId', `${item.exemplaryVariantId} is not in variants`);
  else if (!exemplary.enabled) report('exemplaryVariantId', `${item.exemplaryVariantId} is not enabled`);
}

function checkItem(file: string, item: ItemFile, files: ReadFiles, report: Report): void {
  if (file !== `${item.name}.json`) report('name', `${item.name} is not the name of the file`);
  if (!known(files.categories, item.category)) report('category', `${item.category} is not in categories.json`);
  checkPrintPlaces(item, files, report);
  checkAngles(item, report);
  checkVariants(item, files, report);
}

/** Every rule between the parts of the catalogue that is broken, with the file and the path of the breaker. */
export function brokenRules(files: ReadFiles): FieldError[] {
  const errors: FieldError[] = [];
  const report: Report = (path, message) => errors.push({ path, message });
  checkList('colors.json', files.colors, report);
  checkList('sizes.json', files.sizes, report);
  checkList('categories.json', files.categories, report);
  checkList('print-places.json', files.printPlaces, report);

  const itemIds = new Set<string | number>();
  const variantIds = new Set<string | number>();
  const printPlaceIds = new Set<string | number>();
  for (const { file, item } of files.items) {
    const inItem: Report = (path, message) => report(`items/${file}:${path}`, message);
    reportRepeated(
      [item],
      ({ id }) => id,
      (_, id) => inItem('id', `${id} is the id of another item`),
      itemIds,
    );
    reportRepeated(
      item.variants,
      ({ id }) => id,
      (index, id) => inItem(`variants.${index}.id`, `${id} appears twice`),
      variantIds,
    );
    item.variants.forEach((variant, index) =>
      reportRepeated(
        Object.entries(variant.printPlaceIds),
        ([, id]) => id,
        (_, id) => inItem(`variants.${index}.printPlaceIds`, `${id} appears twice`),
        printPlaceIds,
      ),
    );
    checkItem(file, item, files, inItem);
  }
  return errors;
}
