import { backgroundRgb, fullLight, glossTable } from './light.js';
import { type Placement } from './placement.js';
import { type Plan } from './plan.js';
import { type PyramidLevel } from './pyramid.js';

/**
 * The print as the surface shows it, lit and glossy, before any item colour: four bytes per pixel of the plan, colours
 * multiplied by coverage. One warp serves all colours and formats.
 */
export interface Ink {
  /** Index of each pixel in the picture, row by row. */
  readonly pixels: Uint32Array;
  readonly rgba: Uint8Array;
}

export const inkBytes = (ink: Ink): number => ink.rgba.length + ink.pixels.byteLength;

export function warp(plan: Plan, level: PyramidLevel, placement: Placement): Ink {
  const rgba = sampleArtwork(plan, level, placement);
  light(plan, rgba);
  return { pixels: plan.pixels, rgba };
}

/** The artwork's colour at each pixel of the plan, bilinear with 8 bit weights, multiplied by alpha; 0 outside the ink. */
function sampleArtwork(plan: Plan, level: PyramidLevel, { artwork, ink }: Placement): Uint8Array {
  const { u, v, printWidth, printHeight } = plan;
  const { width, height, data } = level;
  const rgba = new Uint8Array(4 * u.length);
  const perU = (256 * width) / (artwork.right - artwork.left);
  const perV = (256 * height) / (artwork.bottom - artwork.top);
  const [lastX, lastY] = [256 * (width - 1), 256 * (height - 1)];
  // At the edge of an all-over item the coordinates may run a little past the area: there the artwork goes on
  const [lowest, highest] = plan.layer.cover ? [0, 1] : [-Infinity, Infinity];
  for (let i = 0; i < u.length; i++) {
    const s = u[i]!;
    const t = v[i]!;
    // The hard edge of the print is softened over one of its pixels
    const toEdgeX = Math.min(s - ink.left, ink.right - s) * printWidth + 0.5;
    const toEdgeY = Math.min(t - ink.top, ink.bottom - t) * printHeight + 0.5;
    if (toEdgeX <= 0 || toEdgeY <= 0) continue;
    const x = clamp(((clamp(s, lowest, highest) - artwork.left) * perU - 128) | 0, 0, lastX);
    const y = clamp(((clamp(t, lowest, highest) - artwork.top) * perV - 128) | 0, 0, lastY);
    const fx = x & 255;
    const fy = y & 255;
    const o00 = 4 * ((y >> 8) * width + (x >> 8));
    const o10 = o00 + (fx && 4);
    const down = fy && 4 * width;
    const edge = Math.min(1, toEdgeX) * Math.min(1, toEdgeY);
    for (let c = 0; c < 4; c++) {
      const upper = (data[o00 + c]! << 8) + (data[o10 + c]! - data[o00 + c]!) * fx;
      const lower = (data[o00 + down + c]! << 8) + (data[o10 + down + c]! - data[o00 + down + c]!) * fx;
      const value = ((upper << 8) + (lower - upper) * fy + 32_768) >> 16;
      rgba[4 * i + c] = edge === 1 ? value : value * edge + 0.5;
    }
  }
  return rgba;
}

const clamp = (value: number, low: number, high: number): number => (value < low ? low : value > high ? high : value);

/**
 * Puts shade, gloss and the item's outline on the sampled artwork, in place. Colours are divided by alpha before they
 * are lit: gloss is not linear in gamma-coded values, and would turn the dark halo of a soft edge grey.
 *
 * Along its outline a pixel is part item, part what lies behind it (the background's albedo, lit). Ink hides the item's
 * part only, so the part behind is mixed in here; laying the ink over the tinted pixel would leave up to a quarter of
 * the item's colour as a rim round an all-over print.
 */
function light({ pixels, shade, mask, gloss }: Plan, rgba: Uint8Array): void {
  for (let i = 0; i < pixels.length; i++) {
    const alpha = rgba[4 * i + 3]!;
    if (alpha === 0) continue;
    const pixel = pixels[i]!;
    const shadeHere = shade[pixel]! / fullLight;
    const shine = gloss[pixel]! << 8;
    const item = mask[pixel]! / 255;
    for (let c = 0; c < 3; c++) {
      const lit = Math.min(255, ((rgba[4 * i + c]! * 255 * shadeHere) / alpha + 0.5) | 0);
      let value = glossTable[shine | lit]!;
      if (item < 1) {
        const behind = Math.min(255, (backgroundRgb[c]! * shadeHere + 0.5) | 0);
        value = value * item + glossTable[shine | behind]! * (1 - item);
      }
      rgba[4 * i + c] = (value * alpha) / 255 + 0.5;
    }
  }
}
