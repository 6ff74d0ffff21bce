import { z } from 'zod';
import { type FieldError } from '#kernel';
import { checkItem, checkList, type Report, type Vocabulary } from '../items/item-file.rules.js';
import { BundleColor, BundleItem, BundleSize, Category, PrintPlaceName } from '../items/item-file.schema.js';
import { checkLayer } from '../layers/check-layer.js';
import { layerImages, readLayer } from '../layers/layer.js';
import { iconDefect } from './icon.js';

type Files = ReadonlyMap<string, Buffer>;

interface CheckedBundle {
  /** Undefined when `item.json` is missing or invalid. */
  readonly item: BundleItem | undefined;
  /** All mistakes, each with its file and path. */
  readonly errors: readonly FieldError[];
}

const lists = { 'colors.json': BundleColor, 'sizes.json': BundleSize, 'categories.json': Category, 'print-places.json': PrintPlaceName };
const layerFiles = ['layer.json', 'uv.bin', ...Object.values(layerImages)];

function readJson<Shape extends z.ZodType>(files: Files, file: string, shape: Shape, report: Report) {
  let content: unknown;
  try {
    content = JSON.parse(files.get(file)!.toString());
  } catch {
    report(file, 'is not JSON');
    return undefined;
  }
  const { data, error } = shape.safeParse(content);
  for (const { path, message } of error?.issues ?? [])
    report(path.length === 0 ? file : `${file}:${path.map(String).join('.')}`, message);
  return data;
}

/** Returns a list of the catalog with the entries of the bundle; undefined after a mistake. */
function withOwn(
  files: Files,
  file: string,
  shape: z.ZodType<{ readonly name: string }>,
  known: Vocabulary['colors'],
  report: Report,
): Vocabulary['colors'] {
  if (!files.has(file)) return known;
  const own = readJson(files, file, z.array(shape), report);
  if (!own) return undefined;
  checkList(file, own, report);
  return known && [...known, ...own];
}

/** Reports files that no part of a bundle is named like, such as `layers/front/mask.PNG`. */
function checkNames(files: Files, item: BundleItem, report: Report): void {
  const angles = new Set(item.angles.map(({ name }) => name));
  const known = new Set(['item.json', 'icon.svg', 'icon.png', ...Object.keys(lists)]);
  for (const path of files.keys()) {
    const [folder, angle = '', name = '', ...rest] = path.split('/');
    if (known.has(path)) continue;
    if (folder !== 'layers' || name === '' || rest.length > 0 || !layerFiles.includes(name))
      report(path, 'is not a file of a bundle');
    else if (!angles.has(angle)) report(path, `${angle} is not in the angles of item.json`);
  }
}

/**
 * Checks a bundle completely.
 *
 * @param vocabulary lists of the catalog, to which those of the bundle are added
 */
export async function checkBundle(files: Files, vocabulary: Vocabulary): Promise<CheckedBundle> {
  const errors: FieldError[] = [];
  const report: Report = (path, message) => errors.push({ path, message });
  if (!files.has('item.json')) {
    report('item.json', 'is missing');
    return { item: undefined, errors };
  }
  const item = readJson(files, 'item.json', BundleItem, report);
  const known = {
    colors: withOwn(files, 'colors.json', BundleColor, vocabulary.colors, report),
    sizes: withOwn(files, 'sizes.json', BundleSize, vocabulary.sizes, report),
    categories: withOwn(files, 'categories.json', Category, vocabulary.categories, report),
    printPlaces: withOwn(files, 'print-places.json', PrintPlaceName, vocabulary.printPlaces, report),
  };
  const icon = files.get('icon.svg');
  const defect = icon ? iconDefect(icon) : 'is missing';
  if (defect !== null) report('icon.svg', defect);
  if (!item) return { item, errors };
  checkNames(files, item, report);
  checkItem(item, known, (path, message) => report(`item.json:${path}`, message));
  const isColored = new Set(item.variants.map(({ color }) => color)).size > 1;
  if (!item.isEmbroidery)
    for (const angle of item.angles) {
      const layer = readLayer((path) => files.get(path), item.name, angle.name, report);
      if (!layer) continue;
      const place = item.printPlaces.find(({ name }) => name === angle.printPlace);
      if (layer.printPlace !== angle.printPlace)
        report(`layers/${angle.name}/layer.json`, `shows ${layer.printPlace}, not ${angle.printPlace} of item.json`);
      // A close-up is a part of an angle that is checked
      if (layer.crop.size === layer.width) await checkLayer(layer, { place, isColored }, report);
    }
  return { item, errors };
}
