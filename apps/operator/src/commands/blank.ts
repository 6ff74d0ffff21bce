import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import {
  blanksFolder,
  checkBundle,
  iconPng,
  openBundle,
  packedLayersKey,
  packLayers,
  readCatalogFiles,
  type ValidContent,
} from '#blanks';
import { iconKey, type ImportedItem, type ItemDetails } from '#contracts';
import { type BlobStore, blobStoreFromEnvironment } from '#storage';
import { z } from 'zod';
import { command, directCommand, type Commands, Report } from '../command-line/command.js';
import { wholeNumber } from '../command-line/flags.js';
import { printable, table } from '../command-line/table.js';
import { stores } from '../connections/stores.js';
import { noteLines, shippedLists, shippedNotes } from './blank-catalog.js';
import { fromPhoto } from './blank-from-photo.js';
import { fromPsd } from './blank-from-psd.js';

const bundle = {
  help: 'folder, .zip or .tar.gz file: docs/own-items.md',
  value: 'PATH',
  required: true,
  positional: true,
} as const;

const itemName = { help: 'name of the item', value: 'NAME', required: true, positional: true } as const;

/** @param ships true for the name of an item that a later release ships, see `items.load` */
const rowOf = ({ id, name, version, enabled, variants, products }: ImportedItem, ships = false) => ({
  item: id,
  name,
  version,
  variants,
  products,
  state: `${enabled ? 'offered' : 'retired'}${ships ? ', instead of the item that ships' : ''}`,
});

/** Formats an item as one table for each kind of part. */
function detailsText({ displayName, category, layers, printPlaces, angles, variants, ...item }: ItemDetails): string {
  const names = Object.entries(displayName).map(([language, name]) => printable(`${name} (${language})`));
  return [
    table([rowOf({ ...item, variants: variants.length })], ''),
    `${names.join(', ')}. Category: ${category}.`,
    layers === null ? 'Layers: shipped, or none.' : `Layers: ${layers}`,
    table(
      printPlaces.map(({ name, price, width, height }) => ({ place: name, price, area: `${width} x ${height} mm` })),
      'No print places.',
    ),
    table(
      angles.map(({ name, printPlace, essential }) => ({ angle: name, place: printPlace, essential })),
      'No angles.',
    ),
    table(variants, 'No variants.'),
  ].join('\n\n');
}

const itemReport = (item: ImportedItem, sentence: string): Report =>
  new Report([table([rowOf(item)], ''), sentence].join('\n'), { item });

type Files = ReadonlyMap<string, Buffer>;

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Opens and checks a bundle. The report of its mistakes is undefined without any. */
async function checked(path: string): Promise<{ files: Files; content?: ValidContent; mistakes?: Report }> {
  const files = await openBundle(path);
  const { content, errors } = await checkBundle(files, shippedLists());
  if (content && errors.length === 0) return { files, content };
  const text = errors.map(({ path: at, message }) => printable(`${at}: ${message}`)).join('\n');
  return { files, mistakes: new Report(text, { item: content?.item.name ?? null, errors }, false) };
}

const sheetFile = z.string().regex(/\.(png|jpe?g)$/i, { error: 'must end in .png or .jpg' });

/** Draws the sheet of a bundle into a file. Its own colors take precedence over those that ship. */
async function preview(path: string, out: string, size: number): Promise<Report> {
  const { files, content, mistakes } = await checked(path);
  if (!content) return mistakes!;
  // Loaded here, because no other command draws
  const { drawSheet } = await import('../preview/sheet.js');
  const format = /\.png$/i.test(out) ? 'png' : 'jpg';
  const sheet = await drawSheet(files, content.item, [...content.colors, ...shippedLists().colors], { size, format });
  await writeFile(out, sheet.bytes);
  const { width, height, images } = sheet;
  return new Report(`${printable(out)}: ${images} images, ${width} x ${height} pixels.`, {
    out,
    width,
    height,
    images,
  });
}

/** Sorts the keys of objects, for `JSON.stringify`. */
const sorted = (_: string, value: unknown): unknown =>
  value instanceof Object && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/**
 * Returns the hash of what an import stores, so that the format of JSON files makes no new version.
 * Older versions hashed the files: an item that they imported gets one new version.
 */
function hashOf(files: Files, { item, ...lists }: ValidContent, layers: string | null): string {
  const stored = { item: { ...item, $schema: undefined }, ...lists, layers, icon: sha256(files.get('icon.svg')!) };
  return sha256(Buffer.from(JSON.stringify(stored, sorted)));
}

/** Stores layers and icons under their hash, so that nothing changes before the catalog does. */
async function storeFiles(blobs: BlobStore, files: Files, { item }: ValidContent) {
  const svg = files.get('icon.svg')!;
  const png = await iconPng(svg);
  const layers = item.isEmbroidery ? null : packLayers(files);
  const contents = new Map([
    [iconKey(`${sha256(svg)}.svg`), svg],
    [iconKey(`${sha256(png)}.png`), png],
    ...(layers ? [[packedLayersKey(layers.hash), layers.bytes] as const] : []),
  ]);
  for (const [key, content] of contents) await blobs.put(key, content);
  const stored = [...contents].map(([key, content]) => ({ key, bytes: content.length, sha256: sha256(content) }));
  return {
    layers: layers?.hash ?? null,
    blobs: stored,
    /** A sweep may have deleted blobs that no item used before the import. */
    putMissing: async (): Promise<void> => {
      for (const [key, content] of contents) if (!(await blobs.has(key))) await blobs.put(key, content);
    },
  };
}

/** Items of an operator: docs/own-items.md. */
export const blank: Commands = {
  'from-photo': fromPhoto,
  'from-psd': fromPsd,
  check: directCommand({
    summary: 'Checks a bundle, and reports all mistakes with file and path.',
    flags: { path: bundle },
    run: async ({ path }) => {
      const { content, mistakes } = await checked(path);
      if (!content) return mistakes!;
      const { name, angles, variants } = content.item;
      const notes = shippedNotes(content);
      const summary = `${name}: ${angles.length} angles, ${variants.length} variants. No mistake.`;
      return new Report([summary, ...noteLines(notes)].join('\n'), { item: name, errors: [], notes });
    },
  }),
  preview: directCommand({
    summary: 'Draws the item of a bundle in all colors with three artworks on one sheet, without importing it.',
    flags: {
      path: bundle,
      out: { help: 'sheet to write, .png or .jpg', value: 'FILE', type: sheetFile, required: true },
      size: {
        help: 'edge of each image in pixels, 64 to 1000; default: 300',
        value: 'N',
        type: wholeNumber(64, 1_000),
      },
    },
    run: ({ path, out, size = 300 }) => preview(path, out, size),
  }),
  import: command({
    summary: 'Adds the item of a bundle to the catalog, or a new version of it. The same bundle changes nothing.',
    flags: { path: bundle },
    run: async (clients, { path }) => {
      const { files, content, mistakes } = await checked(path);
      if (!content) return mistakes!;
      const blobs = blobStoreFromEnvironment(stores().blobStoreUrl);
      const { putMissing, ...stored } = await storeFiles(blobs, files, content);
      const imported = { hash: hashOf(files, content, stored.layers), ...stored, ...content };
      const { item, changed, offeredAgain } = await clients.of('catalog').call('blanks.import', imported);
      await putMissing();
      if (offeredAgain) return itemReport(item, 'Is offered again.');
      return itemReport(item, changed ? `Version ${item.version} is offered.` : 'Was imported before.');
    },
  }),
  list: command({
    summary: 'Lists the imported items.',
    flags: {},
    run: async (clients) => {
      const found = await clients.of('catalog').call('blanks.list', {});
      const shipped = new Set(readCatalogFiles(blanksFolder).items.map(({ name }) => name));
      const rows = found.items.map((item) => rowOf(item, shipped.has(item.name)));
      return new Report(table(rows, 'No imported items.'), found);
    },
  }),
  show: command({
    summary: 'Shows an item: names, prices, variants, print places, angles and layers.',
    flags: { name: itemName },
    run: async (clients, { name }) => {
      const item = await clients.of('catalog').call('blanks.show', { name });
      return new Report(detailsText(item), { item });
    },
  }),
  retire: command({
    summary: 'Hides an imported item from new products. Its products remain; another import offers it again.',
    flags: { name: itemName },
    run: async (clients, { name }) =>
      itemReport(await clients.of('catalog').call('blanks.retire', { name }), 'Is not offered for new products.'),
  }),
};
