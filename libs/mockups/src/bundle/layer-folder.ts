import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sharp } from '#images';
import { layerImages, unreadable } from '#blanks';
import { type Inverse } from './geometry.js';
import { masterSide } from './master.js';
import { type EncodedGrid, encodeUvGrid } from './uv-grid.js';

/** Master images, `masterSide` x `masterSide` bytes each: blanks/FORMAT.md. */
export interface Planes {
  readonly shade: Uint8Array;
  readonly mask: Uint8Array;
  readonly gloss: Uint8Array;
}

/** A layer that was made from images. */
interface MadeLayer {
  readonly item: string;
  readonly angle: string;
  readonly printPlace: string;
  /** Millimetres. */
  readonly printArea: { readonly width: number; readonly height: number };
  readonly planes: Planes;
  readonly grid: EncodedGrid;
}

/**
 * Encodes the grid of a layer.
 *
 * @throws DomainError `catalog.invalid` when the print area is not visible
 */
export function visibleGrid(angle: string, inverse: Inverse): EncodedGrid {
  const grid = encodeUvGrid(inverse);
  if (!grid) throw unreadable(`layers/${angle}`, 'the print area is not visible in the image');
  return grid;
}

/**
 * Encodes the five files of a layer.
 *
 * @returns the files by their path from the bundle
 */
export async function encodeLayer(layer: MadeLayer): Promise<ReadonlyMap<string, Buffer>> {
  const { item, angle, printPlace, printArea, planes, grid } = layer;
  const folder = `layers/${angle}`;
  const facts = {
    item,
    angle,
    width: masterSide,
    height: masterSide,
    uv: grid.uv,
    aspect: printArea.width / printArea.height,
    printPlace,
    printArea,
    cover: false,
  };
  const open = (plane: Uint8Array) =>
    sharp(plane, { raw: { width: masterSide, height: masterSide, channels: 1 } }).toColourspace('b-w');
  return new Map([
    [`${folder}/layer.json`, Buffer.from(`${JSON.stringify(facts, null, 1)}\n`)],
    [`${folder}/uv.bin`, grid.bytes],
    [`${folder}/${layerImages.shade}`, await open(planes.shade).webp({ quality: 92 }).toBuffer()],
    [`${folder}/${layerImages.mask}`, await open(planes.mask).png({ compressionLevel: 9 }).toBuffer()],
    [`${folder}/${layerImages.gloss}`, await open(planes.gloss).webp({ quality: 92 }).toBuffer()],
  ]);
}

/**
 * Writes files of a bundle. Files that exist are replaced.
 *
 * @param files by their path from the bundle
 */
export async function writeBundleFiles(folder: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  for (const [path, content] of files) {
    const file = join(folder, path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, content);
  }
}
