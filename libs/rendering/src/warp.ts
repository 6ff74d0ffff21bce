import { backgroundRgb, fullLight, glossTable, litTable } from './light.js';
import { clamp, type Locate, type Points } from './locate.js';
import { patternLocator, type PlacedPrint } from './pattern.js';
import { type UprightPrint, type Rectangle } from './placement.js';
import { type Plan } from './plan.js';
import { type PyramidLevel } from './texture.js';

/**
 * Print as it appears on the surface, with light and gloss, independent of the item's color: four
 * bytes per pixel of the plan, colors multiplied by coverage. One warp serves all colors and
 * formats.
 */
export interface Ink {
  /** Index of each pixel in the image, row by row. */
  readonly pixels: Uint32Array;
  readonly rgba: Uint8Array;
}

export const inkBytes = (ink: Ink): number => ink.rgba.length + ink.pixels.byteLength;

/** Pixels of a block: their points fit into the first cache of a processor. */
const blockPixels = 1_024;

/**
 * Samples the artwork and applies light and gloss. Points are located and sampled in blocks, so
 * that sampling is the same for all placements.
 */
export function warp(plan: Plan, level: PyramidLevel, print: PlacedPrint): Ink {
  const { pixels } = plan;
  const rgba = new Uint8Array(4 * pixels.length);
  const locate = 'pattern' in print ? patternLocator(plan, level, print.pattern) : uprightLocator(plan, level, print);
  const points = {
    x: new Int32Array(blockPixels),
    y: new Int32Array(blockPixels),
    coverage: new Float64Array(blockPixels),
  };
  for (let first = 0; first < pixels.length; first += blockPixels) {
    const count = Math.min(blockPixels, pixels.length - first);
    locate(points, first, count);
    sample(plan, level, points, rgba, first, count);
  }
  return { pixels, rgba };
}

/**
 * Returns the locator of artwork that is parallel to the area. At the edge of an all-over item the
 * coordinates may lie slightly outside the area. The edge of the print is repeated there.
 */
function uprightLocator(plan: Plan, { width, height }: PyramidLevel, { artwork, ink }: UprightPrint): Locate {
  const { u, v, printWidth, printHeight } = plan;
  const inside = narrowed(ink, 0.5 / printWidth, 0.5 / printHeight);
  return ({ x, y, coverage }, first, count) => {
    // Local constants, because fields are read again for every pixel
    const { left, top, right, bottom } = inside;
    const perU = (256 * width) / (artwork.right - artwork.left);
    const perV = (256 * height) / (artwork.bottom - artwork.top);
    const [originU, originV] = [artwork.left, artwork.top];
    const [lastX, lastY] = [256 * (width - 1), 256 * (height - 1)];
    const [lowest, highest] = plan.layer.cover ? [0, 1] : [-Infinity, Infinity];
    for (let i = 0; i < count; i++) {
      const s = u[first + i]!;
      const t = v[first + i]!;
      coverage[i] = s >= left && s <= right && t >= top && t <= bottom ? 1 : edgeAt(plan, ink, s, t);
      x[i] = clamp(((clamp(s, lowest, highest) - originU) * perU - 128) | 0, 0, lastX);
      y[i] = clamp(((clamp(t, lowest, highest) - originV) * perV - 128) | 0, 0, lastY);
    }
  };
}

/**
 * Samples the artwork bilinearly with 8 bit weights and applies light and gloss. It is one long
 * function without a loop over the channels: divided into a function per pixel and a pass for the
 * light it takes a quarter longer.
 */
function sample(
  plan: Plan,
  { width, data }: PyramidLevel,
  { x: xs, y: ys, coverage }: Points,
  rgba: Uint8Array,
  first: number,
  count: number,
): void {
  const { pixels, shade, mask, ink, gloss } = plan;
  const [lits, glosses] = [litTable, glossTable];
  for (let i = 0, o = 4 * first; i < count; i++, o += 4) {
    const edge = coverage[i]!;
    if (edge === 0) continue;
    const x = xs[i]!;
    const y = ys[i]!;
    const fx = x & 255;
    const fy = y & 255;
    const right = fx && 4;
    const a = 4 * ((y >> 8) * width + (x >> 8));
    const b = a + right;
    const c = a + (fy && 4 * width);
    const d = c + right;
    const wd = fx * fy;
    const wc = (fy << 8) - wd;
    const wb = (fx << 8) - wd;
    const wa = 65_536 - wb - wc - wd;
    const red = (data[a]! * wa + data[b]! * wb + data[c]! * wc + data[d]! * wd + 32_768) >> 16;
    const green = (data[a + 1]! * wa + data[b + 1]! * wb + data[c + 1]! * wc + data[d + 1]! * wd + 32_768) >> 16;
    const blue = (data[a + 2]! * wa + data[b + 2]! * wb + data[c + 2]! * wc + data[d + 2]! * wd + 32_768) >> 16;
    const alpha = (data[a + 3]! * wa + data[b + 3]! * wb + data[c + 3]! * wc + data[d + 3]! * wd + 32_768) >> 16;
    const pixel = pixels[first + i]!;
    if (alpha === 255 && edge === 1 && ink[pixel] === 255) {
      const shadeHere = shade[pixel]! << 8;
      const shine = gloss[pixel]! << 8;
      rgba[o] = glosses[shine | lits[shadeHere | red]!]!;
      rgba[o + 1] = glosses[shine | lits[shadeHere | green]!]!;
      rgba[o + 2] = glosses[shine | lits[shadeHere | blue]!]!;
      rgba[o + 3] = 255;
    } else if (alpha > 0) {
      // Part of the item within the pixel that carries ink
      const part = ink === mask ? edge : edge * Math.min(1, ink[pixel]! / Math.max(1, mask[pixel]!));
      rgba[o] = red * part + 0.5;
      rgba[o + 1] = green * part + 0.5;
      rgba[o + 2] = blue * part + 0.5;
      rgba[o + 3] = alpha * part + 0.5;
      lightSoft(plan, pixel, rgba, o);
    }
  }
}

const narrowed = ({ left, top, right, bottom }: Rectangle, byU: number, byV: number): Rectangle => ({
  left: left + byU,
  top: top + byV,
  right: right - byU,
  bottom: bottom - byV,
});

/**
 * Returns the coverage at the edge of the print, antialiased over one of its pixels: 0 outside, 1
 * inside.
 */
function edgeAt({ printWidth, printHeight }: Plan, ink: Rectangle, s: number, t: number): number {
  const x = Math.min(s - ink.left, ink.right - s) * printWidth + 0.5;
  const y = Math.min(t - ink.top, ink.bottom - t) * printHeight + 0.5;
  return x <= 0 || y <= 0 ? 0 : Math.min(1, x) * Math.min(1, y);
}

/**
 * Applies shade and gloss where the artwork, its edge or the outline of the item is antialiased.
 * Colors are divided by alpha first: gloss is not linear in gamma-coded values and would turn the
 * dark halo of such an edge grey.
 *
 * A pixel on the outline shows partly the item and partly the background behind it (its albedo,
 * lit). Ink hides only the part of the item, so the part of the background is mixed in here.
 * Compositing the ink over the tinted pixel would show up to a quarter of the item's color as a
 * rim around an all-over print.
 *
 * @param rgba color of the artwork, changed in place
 */
function lightSoft({ shade, mask, gloss }: Plan, pixel: number, rgba: Uint8Array, o: number): void {
  const alpha = rgba[o + 3]!;
  if (alpha === 0) return;
  const shadeHere = shade[pixel]! / fullLight;
  const shine = gloss[pixel]! << 8;
  const item = mask[pixel]! / 255;
  for (let c = 0; c < 3; c++) {
    const lit = Math.min(255, ((rgba[o + c]! * 255 * shadeHere) / alpha + 0.5) | 0);
    let value = glossTable[shine | lit]!;
    if (item < 1) {
      const behind = Math.min(255, (backgroundRgb[c]! * shadeHere + 0.5) | 0);
      value = value * item + glossTable[shine | behind]! * (1 - item);
    }
    rgba[o + c] = (value * alpha) / 255 + 0.5;
  }
}
