import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { invalidBundle } from '../bundles/bundle.errors.js';
import { type Report } from '../items/item-file.rules.js';

/**
 * Limit of the edge of a master in pixels: 1.5 times that of the items that ship, and more than the
 * largest image has.
 */
const maxEdge = 2_400;

/** Cloths whose threads the renderer adds to the light of a layer. */
const fabrics = ['jersey', 'fleece', 'plain'] as const;
export type Fabric = (typeof fabrics)[number];

/** Schemas of the two kinds of `layer.json`. Fields: blanks/FORMAT.md. */
const MasterFile = z.strictObject({
  item: z.string(),
  angle: z.string(),
  width: z.int().positive().max(maxEdge),
  height: z.int().positive(),
  uv: z.strictObject({
    x0: z.number(),
    y0: z.number(),
    step: z.number().positive(),
    cols: z.int().min(2).max(1_024),
    rows: z.int().min(2).max(1_024),
    scale: z.number().positive(),
    outside: z.int(),
  }),
  aspect: z.number().positive(),
  printPlace: z.string(),
  printArea: z.strictObject({ width: z.number().positive(), height: z.number().positive() }),
  cover: z.boolean(),
  clear: z.boolean().default(false),
  fabric: z.enum(fabrics, { error: `must be ${fabrics.join(', ')}` }).optional(),
});

const CloseUpFile = z.strictObject({
  item: z.string(),
  angle: z.string(),
  of: z.string(),
  crop: z.strictObject({ x: z.int().nonnegative(), y: z.int().nonnegative(), size: z.int().positive() }),
});

type Master = z.output<typeof MasterFile>;
type CloseUp = z.output<typeof CloseUpFile>;

/** Master images of a layer by their content. */
export const layerImages = { shade: 'shade.webp', mask: 'mask.png', gloss: 'gloss.webp', ink: 'ink.png' } as const;

/**
 * One item from one angle: the fields of `layer.json`, the print coordinates, and the three
 * or four master images.
 */
export interface Layer extends Master {
  /**
   * Square of the master that is shown, in pixels of the master: the whole, or a part for a
   * close-up.
   */
  readonly crop: { readonly x: number; readonly y: number; readonly size: number };
  /**
   * Print coordinates u and v, interleaved, row by row, times `uv.scale`; u is `uv.outside` where
   * nothing can be printed.
   */
  readonly nodes: Int16Array;
  /** Encoded master images, which `makePlan` decodes. */
  readonly images: Readonly<Record<Exclude<keyof typeof layerImages, 'ink'>, Buffer> & { ink?: Buffer }>;
}

/** Returns the memory of layers in bytes. The images of a close-up are those of another layer. */
export function layersBytes(layers: Iterable<Layer>): number {
  const images = new Set<Buffer>();
  let bytes = 0;
  for (const layer of layers) {
    for (const image of Object.values(layer.images)) images.add(image);
    bytes += layer.nodes.byteLength;
  }
  for (const { length } of images) bytes += length;
  return bytes;
}

/** Returns a file of an item by its path from the item's folder; undefined if it is missing. */
type ReadFile = (path: string) => Buffer | undefined;

/**
 * Reads a layer of an item. A close-up has no master images: it is a crop of another angle.
 *
 * @param item name of the item; undefined to accept any
 * @param report receives each mistake with its file and path
 * @returns undefined after a mistake
 */
export function readLayer(read: ReadFile, item: string | undefined, angle: string, report: Report): Layer | undefined {
  const file = `layers/${angle}/layer.json`;
  const facts = readFacts(read, file, report);
  if (!facts) return undefined;
  if (facts.item !== (item ?? facts.item) || facts.angle !== angle) {
    report(file, `declares itself as ${facts.item}/${facts.angle}`);
    return undefined;
  }
  return 'of' in facts ? readCloseUp(read, facts, report) : readMaster(read, facts, report);
}

function readCloseUp(read: ReadFile, { item, angle, of, crop }: CloseUp, report: Report): Layer | undefined {
  const path = `layers/${angle}/layer.json`;
  const file = `layers/${of}/layer.json`;
  // Mistakes of the other angle are reported with that angle
  const master = readFacts(read, file, () => undefined);
  if (!read(file) || (master && 'of' in master)) report(`${path}:of`, `${of} is not an angle with master images`);
  if (!master || 'of' in master) return undefined;
  if (Math.max(crop.x, crop.y) + crop.size > master.width) {
    report(`${path}:crop`, `reaches beyond ${of}`);
    return undefined;
  }
  const whole = readLayer(read, item, of, () => undefined);
  return whole && { ...whole, angle, crop };
}

function readFacts(read: ReadFile, path: string, report: Report): Master | CloseUp | undefined {
  const bytes = read(path);
  if (!bytes) {
    report(path, 'is missing');
    return undefined;
  }
  let facts: unknown;
  try {
    facts = JSON.parse(bytes.toString());
  } catch {
    report(path, 'is not JSON');
    return undefined;
  }
  // Not a union, because its errors would not name the invalid field
  const shape: z.ZodType<Master | CloseUp> = Object.hasOwn(Object(facts) as object, 'of') ? CloseUpFile : MasterFile;
  const { data, error } = shape.safeParse(facts);
  for (const issue of error?.issues ?? []) {
    const at = issue.path.map(String).join('.');
    report(at === '' ? path : `${path}:${at}`, issue.message);
  }
  return data;
}

function readMaster(read: ReadFile, facts: Master, report: Report): Layer | undefined {
  const folder = `layers/${facts.angle}`;
  const mistakes: string[] = [];
  const reject: Report = (path, message) => {
    mistakes.push(path);
    report(`${folder}/${path}`, message);
  };
  if (facts.width !== facts.height) reject('layer.json:height', 'is not width: the master must be square');
  const file = (name: string): Buffer => {
    const bytes = read(`${folder}/${name}`);
    if (!bytes) reject(name, 'is missing');
    return bytes ?? Buffer.alloc(0);
  };
  const ink = read(`${folder}/${layerImages.ink}`);
  const images = {
    shade: file(layerImages.shade),
    mask: file(layerImages.mask),
    gloss: file(layerImages.gloss),
    ...(ink && { ink }),
  };
  const grid = file('uv.bin');
  const { cols, rows } = facts.uv;
  if (grid.length > 0 && grid.length !== cols * rows * 4)
    reject('uv.bin', `has ${grid.length} bytes, not ${cols} x ${rows} nodes of 4`);
  if (mistakes.length > 0) return undefined;
  const nodes = new Int16Array(grid.length / 2);
  for (let i = 0; i < nodes.length; i++) nodes[i] = grid.readInt16LE(2 * i);
  return { ...facts, crop: { x: 0, y: 0, size: facts.width }, nodes, images };
}

/** Returns a reader of the files of a folder. */
export const filesOf =
  (folder: string): ReadFile =>
  (path) => {
    try {
      return readFileSync(join(folder, path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  };

/**
 * Reads the layers of all items of a folder, `items/{item}/layers/{angle}/`. An item without layers
 * is omitted: it is only listed.
 *
 * @throws DomainError `catalog.invalid` with all mistakes, so that the app does not start
 */
export function readLayers(folder: string): ReadonlyMap<string, ReadonlyMap<string, Layer>> {
  const errors: { path: string; message: string }[] = [];
  const items = new Map<string, ReadonlyMap<string, Layer>>();
  for (const item of readdirSync(join(folder, 'items')).sort()) {
    const itemFolder = join(folder, 'items', item);
    if (!readdirSync(itemFolder).includes('layers')) continue;
    const report: Report = (path, message) => errors.push({ path: `items/${item}/${path}`, message });
    const angles = new Map<string, Layer>();
    for (const angle of readdirSync(join(itemFolder, 'layers')).sort()) {
      const layer = readLayer(filesOf(itemFolder), item, angle, report);
      if (layer) angles.set(angle, layer);
    }
    items.set(item, angles);
  }
  if (errors.length > 0) throw invalidBundle(errors);
  return items;
}
