import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/**
 * Schemas of the two kinds of `layer.json`. Fields:
 * blanks/FORMAT.md.
 */
const MasterFile = z.strictObject({
  item: z.string(),
  angle: z.string(),
  width: z.int().positive(),
  height: z.int().positive(),
  uv: z.strictObject({
    x0: z.number(),
    y0: z.number(),
    step: z.number().positive(),
    cols: z.int().min(2),
    rows: z.int().min(2),
    scale: z.number().positive(),
    outside: z.int(),
  }),
  aspect: z.number().positive(),
  printPlace: z.string(),
  printArea: z.strictObject({ width: z.number().positive(), height: z.number().positive() }),
  cover: z.boolean(),
  clear: z.boolean().default(false),
});

const CloseUpFile = z.strictObject({
  item: z.string(),
  angle: z.string(),
  of: z.string(),
  crop: z.strictObject({ x: z.int().nonnegative(), y: z.int().nonnegative(), size: z.int().positive() }),
});

type Master = z.output<typeof MasterFile>;
type CloseUp = z.output<typeof CloseUpFile>;

const images = { shade: 'shade.webp', mask: 'mask.png', gloss: 'gloss.webp' } as const;

/**
 * One item from one angle: the fields of `layer.json`, the print coordinates, and the paths of the
 * three master images.
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
  readonly files: Readonly<Record<keyof typeof images, string>>;
}

/**
 * Reads one layer folder, except the master images, which `makePlan` reads. A close-up has no
 * master images: it is a crop of another angle of the item.
 *
 * @throws Error when a file is missing, invalid or does not match the others
 */
export function readLayer(folder: string): Layer {
  const facts = readFacts(folder);
  if (!('of' in facts)) return readMaster(folder, facts);
  const { angle, of, crop } = facts;
  const source = join(folder, '..', of);
  const master = readFacts(source);
  if ('of' in master) throw new Error(`${folder} is a crop of ${of}, which is itself a crop`);
  if (Math.max(crop.x, crop.y) + crop.size > master.width) throw new Error(`${folder} reaches beyond ${of}`);
  return { ...readMaster(source, master), angle, crop };
}

function readFacts(folder: string): Master | CloseUp {
  const facts: unknown = JSON.parse(readFileSync(join(folder, 'layer.json'), 'utf8'));
  // Not a union, because its error message would not name the invalid field
  const shape: z.ZodType<Master | CloseUp> = Object.hasOwn(Object(facts) as object, 'of') ? CloseUpFile : MasterFile;
  const parsed = shape.safeParse(facts);
  if (!parsed.success) throw new Error(`${folder}/layer.json: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function readMaster(folder: string, facts: Master): Layer {
  if (facts.width !== facts.height) throw new Error(`${folder}: the master is not square`);
  const bytes = readFileSync(join(folder, 'uv.bin'));
  if (bytes.length !== facts.uv.cols * facts.uv.rows * 4) {
    throw new Error(`${folder}/uv.bin has ${bytes.length} bytes, not ${facts.uv.cols} x ${facts.uv.rows} nodes of 4`);
  }
  const nodes = new Int16Array(bytes.length / 2);
  for (let i = 0; i < nodes.length; i++) nodes[i] = bytes.readInt16LE(2 * i);
  const file = (name: string): string => {
    const path = join(folder, name);
    if (!statSync(path).isFile()) throw new Error(`${path} is not a file`);
    return path;
  };
  const files = { shade: file(images.shade), mask: file(images.mask), gloss: file(images.gloss) };
  return { ...facts, crop: { x: 0, y: 0, size: facts.width }, nodes, files };
}

/**
 * Reads the layers of all items of a folder, `{item}/layers/{angle}/`. An item without layers is
 * omitted: it is only listed.
 *
 * @throws Error when a layer is invalid, so that the app does not start
 */
export function readLayers(folder: string): ReadonlyMap<string, ReadonlyMap<string, Layer>> {
  const items = new Map<string, ReadonlyMap<string, Layer>>();
  for (const item of readdirSync(folder).sort()) {
    const layersFolder = join(folder, item, 'layers');
    if (!existsSync(layersFolder)) continue;
    const angles = new Map<string, Layer>();
    for (const angle of readdirSync(layersFolder).sort()) {
      const layer = readLayer(join(layersFolder, angle));
      if (layer.item !== item || layer.angle !== angle) {
        throw new Error(`${layersFolder}/${angle} declares itself as ${layer.item}/${layer.angle}`);
      }
      angles.set(angle, layer);
    }
    items.set(item, angles);
  }
  return items;
}
