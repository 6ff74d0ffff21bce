import { setImmediate } from 'node:timers/promises';
import { type PrintRaster } from '../print/raster.js';

/** Opacity from which a pixel is ink: a tenth. */
export const inkAlpha = 26;

/** Distance of the nodes to which colors are rounded. */
const colorStep = 5;
const colorsPerAxis = 255 / colorStep + 1;

/** Ink of a print area, without bleed. */
export interface Ink {
  readonly width: number;
  readonly height: number;
  /** Distance of pixels in millimetres. */
  readonly pitch: number;
  /** Opacity of each pixel. */
  readonly alpha: Uint8Array;
  /** Number of pixels with ink. */
  readonly count: number;
  /** Number of pixels of each color: red, then green, then blue. */
  readonly colors: Uint32Array;
}

/** Reads a raster of RGB. Other work of the process continues between its bands. */
export async function readInk(raster: PrintRaster): Promise<Ink> {
  const { width, height, pitch } = raster;
  const alpha = new Uint8Array(width * height);
  const colors = new Uint32Array(colorsPerAxis ** 3);
  let at = 0;
  let count = 0;
  for (const band of raster.bands()) {
    for (let i = 0; i < band.length; i += 4) {
      const opacity = band[i + 3]!;
      alpha[at++] = opacity;
      if (opacity < inkAlpha) continue;
      count++;
      colors[nodeOf(band[i]!, band[i + 1]!, band[i + 2]!)]!++;
    }
    await setImmediate();
  }
  return { width, height, pitch, alpha, count, colors };
}

const roundedOf = (value: number): number => ((value + 2) / colorStep) | 0;
const nodeOf = (red: number, green: number, blue: number): number =>
  (roundedOf(red) * colorsPerAxis + roundedOf(green)) * colorsPerAxis + roundedOf(blue);

/** Returns the colors of ink with their number of pixels. */
export function* colorsOf({ colors }: Ink): Generator<{ rgb: [number, number, number]; count: number }> {
  for (let node = 0; node < colors.length; node++) {
    const count = colors[node]!;
    if (count === 0) continue;
    const [red, green, blue] = [Math.floor(node / colorsPerAxis ** 2), Math.floor(node / colorsPerAxis), node];
    const level = (index: number): number => colorStep * (index % colorsPerAxis);
    yield { rgb: [level(red), level(green), level(blue)], count };
  }
}

/** Part of a print area, in pixels. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const hasInk = ({ alpha, width }: Ink, x: number, y: number): boolean => alpha[y * width + x]! >= inkAlpha;

/** Returns the number of pixels with ink inside any of the rectangles (millimetres). */
export function inkInside(
  ink: Ink,
  rectangles: readonly { readonly x: number; readonly y: number; readonly width: number; readonly height: number }[],
): number {
  const boxes = rectangles.map(({ x, y, width, height }): Box => {
    const pixels = (length: number): number => Math.round(length / ink.pitch);
    return { left: pixels(x), top: pixels(y), right: pixels(x + width), bottom: pixels(y + height) };
  });
  let count = 0;
  for (let y = 0; y < ink.height; y++) {
    const row = boxes.filter(({ top, bottom }) => y >= top && y < bottom);
    if (row.length === 0) continue;
    for (let x = 0; x < ink.width; x++)
      if (row.some(({ left, right }) => x >= left && x < right) && hasInk(ink, x, y)) count++;
  }
  return count;
}

/**
 * Returns the number of pixels with ink in the frame of the safe zone. With bleed, ink that is
 * connected with the edge at a right angle is not counted: its print continues beyond the edge.
 *
 * @param safeZone width of the frame in millimetres
 */
export function inkOutsideSafeZone(ink: Ink, safeZone: number, bleed: number): number {
  const { width, height } = ink;
  const depth = Math.round(safeZone / ink.pitch);
  let count = 0;
  const countLine = (at: (step: number) => boolean): void => {
    let isBleeding = bleed > 0;
    for (let step = 0; step < depth; step++) {
      const isInk = at(step);
      isBleeding &&= isInk;
      if (isInk && !isBleeding) count++;
    }
  };
  for (let x = 0; x < width; x++) {
    countLine((step) => hasInk(ink, x, step));
    countLine((step) => hasInk(ink, x, height - 1 - step));
  }
  for (let y = depth; y < height - depth; y++) {
    countLine((step) => hasInk(ink, step, y));
    countLine((step) => hasInk(ink, width - 1 - step, y));
  }
  return count;
}

/**
 * Returns the number of pixels that are neither transparent nor opaque. The edges of ink, which are
 * smoothed, are not counted.
 */
export function translucentInk(ink: Ink): number {
  const { width, height, alpha } = ink;
  let count = 0;
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const opacity = alpha[y * width + x]!;
      if (opacity < inkAlpha || opacity > 255 - inkAlpha) continue;
      if (hasInk(ink, x - 1, y) && hasInk(ink, x + 1, y) && hasInk(ink, x, y - 1) && hasInk(ink, x, y + 1)) count++;
    }
  }
  return count;
}
