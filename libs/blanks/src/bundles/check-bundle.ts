import { DomainError, type FieldError } from '#kernel';
import { type Report, type Vocabulary } from '../items/item-file.rules.js';
import { checkCloseUp, checkLayer } from '../layers/check-layer.js';
import { type Layer, layerImages, layersBytes, readLayer } from '../layers/layer.js';
import { type BundleContent, checkContent, contentFiles, type ValidContent } from './bundle-content.js';
import { iconDefect } from './icon-defect.js';
import { iconPng } from './icon-png.js';
import { readableItem, type ReadableItem } from './readable-item.js';

type Files = ReadonlyMap<string, Buffer>;

interface CheckedBundle {
  /** Undefined when a JSON file is missing or invalid. */
  readonly content: ValidContent | undefined;
  /** All mistakes, each with its file and path. */
  readonly errors: readonly FieldError[];
}

const layerFiles = ['layer.json', 'uv.bin', ...Object.values(layerImages)];
const knownFiles: ReadonlySet<string> = new Set([...Object.values(contentFiles), 'icon.svg', 'icon.png']);

/** Parses the JSON files. A missing list is empty; a file that cannot be read is undefined. */
function readContent(files: Files, report: Report): BundleContent {
  const read = (part: keyof BundleContent): unknown => {
    const bytes = files.get(contentFiles[part]);
    if (!bytes && part !== 'item') return [];
    if (!bytes) report('item.json', 'is missing');
    try {
      return bytes && (JSON.parse(bytes.toString()) as unknown);
    } catch {
      report(contentFiles[part], 'is not JSON');
      return undefined;
    }
  };
  return {
    item: read('item'),
    colors: read('colors'),
    sizes: read('sizes'),
    categories: read('categories'),
    printPlaces: read('printPlaces'),
  };
}

/** Reports files that no part of a bundle is named like, such as `layers/front/mask.PNG`. */
function checkNames(files: Files, item: ReadableItem, report: Report): void {
  const angles = new Set(item.angles.map(({ name }) => name));
  for (const path of files.keys()) {
    const [folder, angle = '', name = '', ...rest] = path.split('/');
    if (knownFiles.has(path)) continue;
    if (folder !== 'layers' || name === '' || rest.length > 0 || !layerFiles.includes(name))
      report(path, 'is not a file of a bundle');
    else if (!angles.has(angle)) report(path, `${angle} is not in the angles of item.json`);
  }
}

/**
 * Memory of the layers of an item. A renderer caches 24 MB, and would read a larger item anew for
 * each image. The mug, the largest item that ships, has 0.4 MB.
 */
const maxLayersBytes = 16 * 1024 ** 2;

const megabytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1);

async function checkLayers(files: Files, item: ReadableItem, report: Report): Promise<void> {
  const layers: { layer: Layer; place: ReadableItem['printPlaces'][number] | undefined }[] = [];
  for (const { name, printPlace } of item.angles) {
    const layer = readLayer((path) => files.get(path), item.name, name, report);
    if (!layer) continue;
    if (printPlace !== undefined && layer.printPlace !== printPlace)
      report(`layers/${name}/layer.json`, `shows ${layer.printPlace}, not ${printPlace} of item.json`);
    layers.push({ layer, place: item.printPlaces.find((it) => it.name === printPlace) });
  }
  const bytes = layersBytes(layers.map(({ layer }) => layer));
  if (bytes > maxLayersBytes) {
    report('layers', `have ${megabytes(bytes)} MB in memory, and must have ${megabytes(maxLayersBytes)} or less`);
    return;
  }
  for (const { layer, place } of layers) {
    if (layer.crop.size < layer.width) await checkCloseUp(layer, report);
    else await checkLayer(layer, { place, isColored: item.isColored }, report);
  }
}

async function checkIcon(svg: Buffer | undefined, report: Report): Promise<void> {
  const defect = svg ? iconDefect(svg) : 'is missing';
  if (defect !== null) report('icon.svg', defect);
  else
    await iconPng(svg!).catch((error: unknown) => {
      if (!(error instanceof DomainError)) throw error;
      for (const { path, message } of error.errors ?? []) report(path, message);
    });
}

const foldersOf = (files: Files): string[] => [
  ...new Set([...files.keys()].filter((path) => /^layers\/[^/]+\//.test(path)).map((path) => path.split('/')[1]!)),
];

/**
 * Checks a bundle completely: a mistake in one file hides none in another. Names that ship with the
 * service are accepted, because an operator may have used them before: an import decides.
 *
 * @param catalog lists of the catalog, to which those of the bundle are added
 */
export async function checkBundle(files: Files, catalog: Vocabulary): Promise<CheckedBundle> {
  const errors: FieldError[] = [];
  const report: Report = (path, message) => errors.push({ path, message });
  const given = readContent(files, report);
  const unreadable = new Set(errors.map(({ path }) => path));
  const { content, errors: mistakes } = checkContent(given, catalog);
  errors.push(...mistakes.filter(({ path }) => !unreadable.has(path)));
  const item = readableItem(given.item, foldersOf(files));
  await checkIcon(files.get('icon.svg'), report);
  checkNames(files, item, report);
  if (!item.isEmbroidery) await checkLayers(files, item, report);
  return { content, errors };
}
