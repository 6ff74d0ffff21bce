import { setImmediate } from 'node:timers/promises';
import { type Ink } from './ink.js';

// Read once, because each access to a global is slow in the vm context of Jest
const { min } = Math;

/** Units per pixel of distances: steps to direct neighbours are 3, diagonal ones 4. */
const perPixel = 3;
const rowsPerTurn = 64;
const most = 255;

/**
 * Returns the number of pixels in strokes that are thinner than `width` (millimetres): the ink that
 * is far from every point where a disc of that diameter fits. Strokes that are up to a pixel
 * thinner may not be found; strokes of the width are never found. Ink is taken to continue beyond
 * the edges of the area.
 */
export async function thinStrokes({ alpha, width: columns, pitch }: Ink, width: number): Promise<number> {
  const isInk = alpha.map((opacity) => (opacity >= 127 ? 1 : 0));
  if (!isInk.includes(0)) return 0;
  const diameter = width / pitch;
  const inside = await distances(isInk, columns);
  const isCore = inside.map((distance) => (2 * distance >= perPixel * diameter ? 0 : 1));
  const fromCore = await distances(isCore, columns);
  const reach = min(most - 1, Math.ceil(perPixel * diameter));
  let count = 0;
  for (let i = 0; i < isInk.length; i++) if (isInk[i] === 1 && fromCore[i]! > reach) count++;
  return count;
}

/**
 * Returns the distance of each pixel to the nearest 0 (chamfer distance 3-4, 6 % from the Euclidean
 * one), at most 255. Other work of the process continues between parts of the image.
 */
async function distances(map: Uint8Array, columns: number): Promise<Uint8Array> {
  const out = map.map((value) => (value === 0 ? 0 : most));
  const rows = out.length / columns;
  for (let y = 0; y < rows; y++) {
    if (y % rowsPerTurn === 0) await setImmediate();
    sweepRow(out, y * columns, columns, y > 0 ? -columns : 0);
  }
  for (let y = rows - 1; y >= 0; y--) {
    if (y % rowsPerTurn === 0) await setImmediate();
    sweepRowBack(out, y * columns, columns, y < rows - 1 ? columns : 0);
  }
  return out;
}

/** @param above offset of the row before; 0 for the first */
function sweepRow(out: Uint8Array, start: number, columns: number, above: number): void {
  for (let x = 0; x < columns; x++) {
    const i = start + x;
    let least = out[i]!;
    if (least === 0) continue;
    if (x > 0) least = min(least, out[i - 1]! + 3);
    if (above !== 0) {
      least = min(least, out[i + above]! + 3);
      if (x > 0) least = min(least, out[i + above - 1]! + 4);
      if (x < columns - 1) least = min(least, out[i + above + 1]! + 4);
    }
    out[i] = least;
  }
}

/** @param below offset of the row after; 0 for the last */
function sweepRowBack(out: Uint8Array, start: number, columns: number, below: number): void {
  for (let x = columns - 1; x >= 0; x--) {
    const i = start + x;
    let least = out[i]!;
    if (least === 0) continue;
    if (x < columns - 1) least = min(least, out[i + 1]! + 3);
    if (below !== 0) {
      least = min(least, out[i + below]! + 3);
      if (x > 0) least = min(least, out[i + below - 1]! + 4);
      if (x < columns - 1) least = min(least, out[i + below + 1]! + 4);
    }
    out[i] = least;
  }
}
