import { basename, resolve } from 'node:path';
import { z } from 'zod';
import { aspectTolerance, BundleItem, label, length, name, price, unreadable } from '#blanks';
import { iconFile, itemFile } from '../bundle/item-json.js';
import { encodeLayer, visibleGrid } from '../bundle/layer-folder.js';
import { masterSide } from '../bundle/master.js';
import { type Mockup } from './mockup.schema.js';

/** Facts of the item that a PSD does not have. All may be missing. */
export const PsdDescription = z
  .strictObject({
    name,
    displayName: z.strictObject({ ja: label, en: label }),
    category: name,
    price,
    colors: z.array(name).min(1).max(50),
    sizes: z.array(name).min(1).max(50),
    angle: name,
    place: name,
    /** Print area in millimetres. */
    area: z.strictObject({ width: length, height: length }),
    /** Width of the print area in millimetres; its height follows from the smart object. */
    widthMm: length,
  })
  .partial();
export type PsdDescription = z.output<typeof PsdDescription>;

type Size = NonNullable<PsdDescription['area']>;

/** A bundle that was made from a PSD. */
export interface PsdBundle {
  /** Files to be written, by their path from the bundle. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly item: string;
  readonly angle: string;
}

function areaOf({ aspect }: Mockup, { area, widthMm }: PsdDescription): Size {
  if (area) return area;
  if (widthMm === undefined) throw unreadable('area', 'is missing: give the print area in millimetres');
  return { width: widthMm, height: Math.round((10 * widthMm) / aspect) / 10 };
}

function checkAspect({ aspect }: Mockup, { width, height }: Size, path: string): void {
  if (Math.abs((aspect * height) / width - 1) <= aspectTolerance) return;
  throw unreadable(
    path,
    `is ${width} x ${height} mm, but the smart object has an aspect ratio of ${aspect.toFixed(3)} : 1`,
  );
}

/** Reads item.json that a person may have edited. */
function existingItem(bytes: Buffer): BundleItem {
  let content: unknown;
  try {
    content = JSON.parse(bytes.toString());
  } catch {
    throw unreadable('item.json', 'is not JSON');
  }
  const { data, error } = BundleItem.safeParse(content);
  const first = error?.issues[0];
  if (first) throw unreadable(`item.json:${first.path.map(String).join('.')}`, first.message);
  return data!;
}

/**
 * Returns the files of a bundle for a PSD.
 *
 * @param folder of the bundle; the item is named like it unless it has a name
 * @param existing files of the folder that are kept: `item.json` and `icon.svg`
 * @throws DomainError `catalog.invalid`
 */
export async function psdBundle(
  mockup: Mockup,
  description: PsdDescription,
  folder: string,
  existing: ReadonlyMap<string, Buffer>,
): Promise<PsdBundle> {
  const given = existing.get('item.json');
  const item = given ? factsOf(existingItem(given), description) : newFacts(mockup, description, folder);
  checkAspect(mockup, item.printArea, given ? 'item.json:printPlaces' : 'area');
  const { shade, mask, gloss } = mockup;
  const grid = visibleGrid(item.angle, nodesOf(mockup.grid));
  const layer = await encodeLayer({ ...item, planes: { shade, mask, gloss }, grid });
  const files = new Map(layer);
  if (!given) files.set('item.json', item.file);
  if (!existing.has('icon.svg')) files.set('icon.svg', iconFile(mask, masterSide));
  return { files, item: item.item, angle: item.angle };
}

function factsOf(item: BundleItem, { angle: wanted }: PsdDescription) {
  const angle = wanted === undefined ? item.angles[0] : item.angles.find((it) => it.name === wanted);
  if (!angle) throw unreadable('item.json:angles', wanted === undefined ? 'is empty' : `does not contain ${wanted}`);
  const place = item.printPlaces.find((it) => it.name === angle.printPlace);
  if (!place) throw unreadable('item.json:printPlaces', `does not contain ${angle.printPlace}`);
  return {
    item: item.name,
    angle: angle.name,
    printPlace: place.name,
    printArea: place.millimetres,
    file: Buffer.alloc(0),
  };
}

function newFacts(mockup: Mockup, description: PsdDescription, folder: string) {
  const fromFolder =
    basename(resolve(folder))
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replace(/^-/, '') || 'item';
  const { name: item = fromFolder.slice(0, 64), angle = 'front', place = 'front' } = description;
  const printArea = areaOf(mockup, description);
  const file = itemFile({
    name: item,
    displayName: description.displayName ?? { ja: item, en: item },
    category: description.category ?? 'accessories',
    price: description.price ?? 0,
    // Without a layer for it, only the print area has the color of the item
    colors: description.colors ?? (mockup.colorLayer === null ? ['white'] : ['white', 'black']),
    sizes: description.sizes ?? ['free'],
    places: [{ name: place, millimetres: printArea, price: 0, printing: {} }],
    angles: [{ name: angle, printPlace: place, essential: true }],
  });
  return { item, angle, printPlace: place, printArea, file };
}

/** Returns the print coordinates at the nodes of a grid. */
function nodesOf({ x0, y0, step, cols, rows, uv }: Mockup['grid']) {
  const view = new DataView(uv.buffer, uv.byteOffset, uv.byteLength);
  if (uv.byteLength !== 16 * cols * rows) throw new RangeError('the grid has another size');
  return (x: number, y: number): { u: number; v: number } | null => {
    const [column, row] = [Math.round((x - x0) / step), Math.round((y - y0) / step)];
    if (column < 0 || row < 0 || column >= cols || row >= rows) return null;
    const at = 16 * (row * cols + column);
    const [u, v] = [view.getFloat64(at, true), view.getFloat64(at + 8, true)];
    return Number.isNaN(u) || Number.isNaN(v) ? null : { u, v };
  };
}
