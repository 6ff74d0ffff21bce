import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { checkBundle, openBundle, packLayers, readFileWithin, readPackedLayers } from '#blanks';
import {
  drawReport,
  masterSide,
  type Mockup,
  type PsdBundle,
  psdBundle,
  PsdDescription,
  readPsd,
  testCard,
  writeBundleFiles,
} from '#mockups';
import { drawLayer } from '#rendering/draw-layer.js';
import { directCommand, Report, UsageError } from '../command-line/command.js';
import { wholeNumber } from '../command-line/flags.js';
import { printable } from '../command-line/table.js';
import { noteLines, shippedLists, shippedNotes } from './blank-catalog.js';

const millimetres = z
  .string()
  .regex(/^\d{1,4}(?:\.\d+)?x\d{1,4}(?:\.\d+)?$/, { error: 'must be a size in millimetres such as 90x80' })
  .transform((text) => {
    const [width, height] = text.split('x').map(Number) as [number, number];
    return { width, height };
  });

const maxDescriptionBytes = 64 * 1024;

/** Reads the description of the item. Flags take precedence over it. */
async function readDescription(path: string | undefined, flags: object): Promise<PsdDescription> {
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  let content: unknown = {};
  if (path !== undefined) {
    const bytes = await readFileWithin(path, maxDescriptionBytes);
    try {
      content = JSON.parse(bytes.toString());
    } catch (error) {
      throw new UsageError(`--description ${path}: ${(error as Error).message}`);
    }
  }
  const { data, error } = PsdDescription.safeParse({ ...(content as object), ...given });
  if (data) return data;
  const lines = error.issues.map(({ path: at, message }) => `${at.map(String).join('.')}: ${message}`);
  throw new UsageError(lines.join('\n'));
}

/** Returns the files of the bundle, none if there is no folder. */
async function existingFiles(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  return existsSync(folder) ? openBundle(folder) : new Map();
}

/** Checks the bundle with the new layer. Layers of other angles may still be missing. */
async function checked(files: ReadonlyMap<string, Buffer>, angle: string) {
  const { content, errors } = await checkBundle(files, shippedLists());
  return {
    errors: errors.filter(({ path }) => !path.startsWith('layers/') || path.startsWith(`layers/${angle}/`)),
    notes: content ? shippedNotes(content) : [],
  };
}

/** Lines about everything that is not drawn as Photoshop does. */
function differenceLines({ differences }: Mockup): string[] {
  const lines = (differs: boolean) =>
    differences
      .filter((it) => it.differs === differs)
      .map(({ layer, feature }) => printable(`  ${layer === undefined ? '' : `${layer}: `}${feature}`));
  const [different, same] = [lines(true), lines(false)];
  return [
    ...(different.length > 0 ? ['Not supported, images will differ:', ...different] : []),
    ...(same.length > 0 ? ['Not supported, images will not differ:', ...same] : []),
    ...(differences.length === 0 ? ['Everything in the file is supported.'] : []),
  ];
}

function storedLines({ storedDifference }: Mockup): string[] {
  if (storedDifference === null) return ['The file has no image of its own to compare the layers with.'];
  return [
    `The layers as read differ from the image stored in the file by ${storedDifference.toFixed(1)} of 255 on average.`,
  ];
}

/** Draws the report: the document with a test card, our drawing, and the difference. */
async function writeReport(mockup: Mockup, { files, item, angle }: PsdBundle, out: string) {
  const side = { width: masterSide, height: masterSide };
  const ours = await drawLayer(readPackedLayers(packLayers(files).bytes, item).get(angle)!, mockup.color, testCard);
  const { png, difference } = await drawReport(
    'PSD with a test card',
    { ...side, data: mockup.reference },
    { ...side, data: ours },
  );
  const path = join(`${out}-report`, `${angle}.png`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, png);
  return { path, difference };
}

/** Makes a bundle from a PSD: docs/own-items.md. */
export const fromPsd = directCommand({
  summary: 'Makes a bundle from a PSD with a smart object, and draws a report beside it.',
  flags: {
    path: { help: 'PSD file', value: 'PATH', required: true, positional: true },
    out: {
      help: 'folder of the bundle; item.json and icon.svg are kept if it has them',
      value: 'FOLDER',
      required: true,
    },
    area: { help: 'print area in millimetres', value: 'WxH', type: millimetres },
    'width-mm': {
      help: 'its width; the height follows from the smart object',
      value: 'MM',
      type: wholeNumber(1, 5_000),
    },
    'print-layer': { help: 'smart object that is printed; default: the only visible one', value: 'NAME' },
    'color-layer': { help: 'layer with the color of the item; default: a fill of one color', value: 'NAME' },
    angle: { help: 'angle that the PSD shows; default: front', value: 'NAME' },
    place: { help: 'print place; default: front', value: 'NAME' },
    item: { help: 'name of the item; default: that of the folder', value: 'NAME' },
    category: { help: 'default: accessories', value: 'NAME' },
    price: { help: 'price in yen; default: 0', value: 'YEN', type: wholeNumber(0, 10_000_000) },
    description: { help: 'JSON file with these and displayName, colors, sizes', value: 'FILE' },
  },
  run: async ({ path, out, 'print-layer': printLayer, 'color-layer': colorLayer, description: file, ...flags }) => {
    const { 'width-mm': widthMm, area, angle, place, item: name, category, price } = flags;
    const description = await readDescription(file, { widthMm, area, angle, place, name, category, price });
    const existing = await existingFiles(out);
    if (!existing.has('item.json') && !description.area && !description.widthMm)
      throw new UsageError('the size of the print area is missing: give --area or --width-mm');
    const mockup = await readPsd(path, { printLayer: printLayer ?? null, colorLayer: colorLayer ?? null });
    const made = await psdBundle(mockup, description, out, existing);
    const { errors, notes } = await checked(new Map([...existing, ...made.files]), made.angle);
    if (errors.length > 0) {
      const lines = errors.map((it) => printable(`${it.path}: ${it.message}`));
      return new Report(['Nothing was written:', ...lines].join('\n'), { item: made.item, errors }, false);
    }
    await writeBundleFiles(out, made.files);
    const report = await writeReport(mockup, made, out);
    const { mean, most } = report.difference;
    const source = mockup.colorLayer === null ? 'the print area' : `layer "${mockup.colorLayer}"`;
    const lines = [
      `${made.item}: ${made.angle} is made from smart object "${mockup.printLayer}"; ${source} has the color of the item.`,
      ...storedLines(mockup),
      `Difference of our drawing to the layers: ${mean.toFixed(1)} of 255 on average, ${most} or less in 99 % of the values.`,
      `Report: ${report.path} (original, ours, difference)`,
    ];
    const data = {
      item: made.item,
      angle: made.angle,
      differences: mockup.differences,
      storedDifference: mockup.storedDifference,
      difference: report.difference,
      report: report.path,
      notes,
    };
    return new Report([...lines.map(printable), ...noteLines(notes), ...differenceLines(mockup)].join('\n'), data);
  },
});
