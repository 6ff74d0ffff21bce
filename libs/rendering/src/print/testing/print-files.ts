import { type Matrix, type PlacedArtwork, type PlacementInput, type ResizeMode } from '#contracts';
import { projectPath } from '#config';
import { apply, completePlacement, placeArtwork, type Point } from '#placement';
import { openTexture } from '#images';
import { paintPng } from '../../testing/test-card.js';
import { type ArtworkSource } from '../artwork.js';
import { decodeCut } from '../cut.js';
import { type PrintArea } from '../print-area.js';
import { type PrintRaster } from '../raster.js';

export const profilesFolder = projectPath('libs', 'rendering', 'profiles');

/** Artwork of the tests: 600 x 400 pixels. */
export const artworkSize = { width: 600, height: 400 };

/** Places artwork of `artworkSize`. */
export const placedIn = (
  { area }: Pick<PrintArea, 'area'>,
  placement: PlacementInput = {},
  mode: ResizeMode = 'contain',
): PlacedArtwork => placeArtwork({ artwork: artworkSize, area, mode }, completePlacement(placement));

/** Centre and radius of the dot of `dotArtwork`, in widths and heights of the artwork. */
const dot = { x: 0.31, y: 0.62, radius: 0.04 };

const { hypot, min, max } = Math;

/** Black dot on transparent artwork. */
export const dotArtwork = (): Promise<Buffer> =>
  paintPng(artworkSize.width, artworkSize.height, (x, y) => {
    const distance = hypot((x - dot.x) * 600, (y - dot.y) * 400);
    return [0, 0, 0, 255 * min(1, max(0, dot.radius * 600 - distance + 0.5))];
  });

/** Returns an artwork that is decoded in this process. */
export async function sourceOf(bytes: Buffer): Promise<ArtworkSource> {
  const { autoOrient } = await openTexture(bytes).metadata();
  return { ...autoOrient, decode: (cut) => decodeCut(bytes, cut) };
}

/** Returns all bytes of a raster. */
export const pixelsOf = (raster: PrintRaster): Buffer =>
  Buffer.concat(Array.from(raster.bands(), (band) => Buffer.from(band)));

/** Returns the bytes that `write` writes. */
export async function bytesOf(write: (sink: (bytes: Uint8Array) => Promise<void>) => Promise<void>): Promise<Buffer> {
  const parts: Buffer[] = [];
  await write((bytes) => {
    parts.push(Buffer.from(bytes));
    return Promise.resolve();
  });
  return Buffer.concat(parts);
}

/** Returns the centre of the ink near a point, in millimetres from the corner of the area. */
export function inkCentre(raster: PrintRaster, pixels: Buffer, near?: { point: Point; radius: number }): Point {
  let [weight, x, y] = [0, 0, 0];
  for (let row = 0; row < raster.height; row++) {
    for (let column = 0; column < raster.width; column++) {
      const at = {
        x: (column + 0.5) * raster.pitch - raster.bleed,
        y: (row + 0.5) * raster.pitch - raster.bleed,
      };
      if (near && hypot(at.x - near.point.x, at.y - near.point.y) > near.radius) continue;
      const alpha = pixels[4 * (row * raster.width + column) + 3]!;
      weight += alpha;
      x += alpha * at.x;
      y += alpha * at.y;
    }
  }
  return { x: x / weight, y: y / weight };
}

/** Returns the place of the dot, in millimetres from the corner of the area. */
export function dotPlace(matrix: Matrix, { area, mirror }: PrintArea): Point {
  const { x, y } = apply(matrix, dot);
  return { x: mirror ? area.width - x : x, y };
}
