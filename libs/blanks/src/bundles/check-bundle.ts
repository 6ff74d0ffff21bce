import { type FieldError } from '#kernel';
import { type Report, type Vocabulary } from '../items/item-file.rules.js';
import { type BundleItem } from '../items/item-file.schema.js';
import { checkLayer } from '../layers/check-layer.js';
import { layerImages, readLayer } from '../layers/layer.js';
import { type BundleContent, checkContent, contentFiles, type ValidContent } from './bundle-content.js';
import { iconDefect, iconPng } from './icon.js';

type Files = ReadonlyMap<string, Buffer>;

interface CheckedBundle {
  /** Undefined when a JSON file is missing or invalid. */
  readonly content: ValidContent | undefined;
  /** All mistakes, each with its file and path. */
  readonly errors: readonly FieldError[];
}

const layerFiles = ['layer.json', 'uv.bin', ...Object.values(layerImages)];
const knownFiles: ReadonlySet<string> = new Set([...Object.values(contentFiles), 'icon.svg', 'icon.png']);

function readContent(files: Files, report: Report): BundleContent {
  const read = (part: keyof BundleContent, missing: unknown): unknown => {
    const bytes = files.get(contentFiles[part]);
    if (!bytes) return missing;
    try {
      return JSON.parse(bytes.toString());
    } catch {
      report(contentFiles[part], 'is not JSON');
      return missing;
    }
  };
  return {
    item: read('item', undefined),
    colors: read('colors', []),
    sizes: read('sizes', []),
    categories: read('categories', []),
    printPlaces: read('printPlaces', []),
  };
}

/** Reports files that no part of a bundle is named like, such as `layers/front/mask.PNG`. */
function checkNames(files: Files, item: BundleItem, report: Report): void {
  const angles = new Set(item.angles.map(({ name }) => name));
  for (const path of files.keys()) {
    const [folder, angle = '', name = '', ...rest] = path.split('/');
    if (knownFiles.has(path)) continue;
    if (folder !== 'layers' || name === '' || rest.length > 0 || !layerFiles.includes(name))
      report(path, 'is not a file of a bundle');
    else if (!angles.has(angle)) report(path, `${angle} is not in the angles of item.json`);
  }
}

async function checkLayers(files: Files, item: BundleItem, report: Report): Promise<void> {
  const isColored = new Set(item.variants.map(({ color }) => color)).size > 1;
  for (const { name, printPlace } of item.angles) {
    const layer = readLayer((path) => files.get(path), item.name, name, report);
    if (!layer) continue;
    if (layer.printPlace !== printPlace)
      report(`layers/${name}/layer.json`, `shows ${layer.printPlace}, not ${printPlace} of item.json`);
    const place = item.printPlaces.find((it) => it.name === printPlace);
    // A close-up is a part of an angle that is checked
    if (layer.crop.size === layer.width) await checkLayer(layer, { place, isColored }, report);
  }
}

async function checkIcon(svg: Buffer | undefined): Promise<string | null> {
  if (!svg) return 'is missing';
  const defect = iconDefect(svg);
  if (defect !== null) return defect;
  return iconPng(svg).then(
    () => null,
    () => 'cannot be drawn, or is larger than 64 x 64',
  );
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
    return { content: undefined, errors };
  }
  const given = readContent(files, report);
  if (errors.length > 0) return { content: undefined, errors };
  const { content, errors: mistakes } = checkContent(given, vocabulary);
  errors.push(...mistakes);
  const iconMistake = await checkIcon(files.get('icon.svg'));
  if (iconMistake !== null) report('icon.svg', iconMistake);
  if (content) {
    checkNames(files, content.item, report);
    if (!content.item.isEmbroidery) await checkLayers(files, content.item, report);
  }
  return { content, errors };
}
