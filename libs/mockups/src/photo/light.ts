import { backgroundRgb, fullLight, type Rgb, wallRgb } from '#rendering/light.js';
import { type Planes } from '../bundle/layer-folder.js';
import { blurred } from './blur.js';

/** Linear light of a gamma-coded value. */
const linearTable = Float64Array.from({ length: 256 }, (_, value) => (value / 255) ** 2.2);
const linear = (value: number): number => (value / 255) ** 2.2;

/** Largest values of the two images, in linear light: blanks/FORMAT.md. */
const maxGloss = 0.255;
const maxShade = (255 / fullLight) ** 2.2;

/**
 * Part of the light that even a matte surface of the same shape would reflect in white: without it
 * the folds of black cloth vanish. The cloth that ships has 0.014 in the middle of its print.
 */
const sheen = 0.012;

/** Spread of a color, see `separability`, at which its gloss is measured half, and in full. */
const [spreadUnknown, spreadKnown] = [0.01, 0.06];

interface PhotoOfBlank {
  /** Edge of photo and mask, in pixels. */
  readonly side: number;
  /** Pixels of three bytes. */
  readonly rgb: Uint8Array;
  readonly mask: Uint8Array;
  /** Color of the blank where it is fully lit. */
  readonly color: Rgb;
  readonly background: 'wall' | 'photo';
}

/**
 * Derives shade and gloss from the photo of a blank. In linear light each channel is
 * `L = A * d + g`, with the albedo A (that of the blank, mixed with the background on the outline),
 * diffuse light d, and white gloss g.
 *
 * - A color with different channels: both unknowns are the least squares solution of the three
 *   equations, `d = cov(A, L) / var(A)`, `g = mean(L) - d * mean(A)`.
 * - White, grey and black: the equations are the same. Gloss is then what exceeds full light,
 *   `(d0 - 1) * mean(A)` with `d0 = sum(A * L) / sum(A * A)`, and a sheen of 1.2 % of `d0 * d0`.
 * - Between them both are mixed by the spread of the color, `var(A) / mean(A * A)`.
 *
 * Gloss is bounded to 0..0.255, smoothed because JPEG stores colors at half the resolution, and
 * not more than the light; then `d = sum(A * (L - g)) / sum(A * A)` keeps the brightness of each
 * pixel. The background is grey: it has no gloss and no color.
 */
export function separateLight(photo: PhotoOfBlank): Planes {
  const { side, rgb, mask, color, background } = photo;
  const albedos = albedosOf(color);
  const gain = background === 'wall' ? wallGain(photo) : 1;
  const raw = new Float32Array(mask.length);
  const light = new Float32Array(3);
  for (let i = 0; i < mask.length; i++)
    if (mask[i]! > 0) raw[i] = glossOf(lightAt(rgb, i, 1, light), albedos, mask[i]!) * (mask[i]! / 255);
  const gloss = blurred(raw, side, 1.2);
  const shade = new Float32Array(mask.length);
  for (let i = 0; i < mask.length; i++) {
    const coverage = mask[i]!;
    lightAt(rgb, i, 1 + (gain - 1) * (1 - coverage / 255), light);
    const albedo = albedos.subarray(3 * coverage, 3 * coverage + 3);
    const mean = (light[0]! + light[1]! + light[2]!) / 3;
    // A highlight beyond the brightest shade is gloss, as far as the format has it
    const excess = diffuse(albedo, light, 0) - maxShade;
    const more = excess > 0 ? excess * ((albedo[0]! + albedo[1]! + albedo[2]!) / 3) : 0;
    gloss[i] = coverage === 0 ? 0 : Math.min(maxGloss, mean, Math.max(gloss[i]!, more));
    shade[i] = fullLight * diffuse(albedo, light, gloss[i]!) ** (1 / 2.2);
  }
  smoothOutline(side, mask, shade, gloss);
  // Clamped arrays round. Uint8Array.from() reads an iterator, which is slow
  const bytes = (plane: Float32Array, scale: number) =>
    new Uint8Array(new Uint8ClampedArray(plane.map((value) => scale * value)).buffer);
  return { shade: bytes(shade, 1), mask, gloss: bytes(gloss, 1_000) };
}

/**
 * Replaces the light of pixels on the outline by that of the item and of the background beside
 * them, mixed by coverage. A photo of another color is darker or lighter there than the mask says,
 * which would be a rim around the item in other colors.
 */
function smoothOutline(side: number, mask: Uint8Array, shade: Float32Array, gloss: Float32Array): void {
  const soft = blurred(Float32Array.from(mask), side, 1.2);
  const item = soft.map((value) => (value > 254 ? 1 : 0));
  const behind = soft.map((value) => (value < 1 ? 1 : 0));
  const near = (plane: Float32Array): Float32Array => blurred(plane, side, 2.5);
  const [items, backgrounds] = [near(item), near(behind)];
  const itemShade = near(shade.map((value, i) => value * item[i]!));
  const itemGloss = near(gloss.map((value, i) => value * item[i]!));
  const behindShade = near(shade.map((value, i) => value * behind[i]!));
  for (let i = 0; i < mask.length; i++) {
    const isOutline = item[i] === 0 && behind[i] === 0;
    if (!isOutline || items[i]! < 0.01 || backgrounds[i]! < 0.01) continue;
    const part = mask[i]! / 255;
    shade[i] = (part * itemShade[i]!) / items[i]! + ((1 - part) * behindShade[i]!) / backgrounds[i]!;
    gloss[i] = (part * itemGloss[i]!) / items[i]!;
  }
}

/** Returns the linear albedo for each coverage: three values for each of 256. */
function albedosOf(color: Rgb): Float64Array {
  return Float64Array.from({ length: 768 }, (_, i) => {
    const channel = (i % 3) as 0 | 1 | 2;
    const behind = backgroundRgb[channel];
    return linear(Math.max(1, behind + ((color[channel] - behind) * Math.floor(i / 3)) / 255));
  });
}

function lightAt(rgb: Uint8Array, pixel: number, gain: number, light: Float32Array): Float32Array {
  for (let c = 0; c < 3; c++) light[c] = gain * linearTable[rgb[3 * pixel + c]!]!;
  return light;
}

/** Returns the diffuse light that explains the light without gloss best. */
function diffuse(albedo: Float64Array, light: Float32Array, gloss: number): number {
  let [product, square] = [0, 0];
  for (let c = 0; c < 3; c++) {
    product += albedo[c]! * Math.max(0, light[c]! - gloss);
    square += albedo[c]! ** 2;
  }
  return product / square;
}

function glossOf(light: Float32Array, albedos: Float64Array, coverage: number): number {
  const albedo = albedos.subarray(3 * coverage, 3 * coverage + 3);
  const meanA = (albedo[0]! + albedo[1]! + albedo[2]!) / 3;
  const meanL = (light[0]! + light[1]! + light[2]!) / 3;
  let [variance, covariance, square] = [0, 0, 0];
  for (let c = 0; c < 3; c++) {
    variance += (albedo[c]! - meanA) ** 2 / 3;
    covariance += ((albedo[c]! - meanA) * (light[c]! - meanL)) / 3;
    square += albedo[c]! ** 2 / 3;
  }
  const d = diffuse(albedo, light, 0);
  const assumed = Math.max(0, d - 1) * meanA + Math.min(sheen * Math.min(1, d) ** 2, meanL / 2);
  const part = Math.max(0, Math.min(1, (variance / square - spreadUnknown) / (spreadKnown - spreadUnknown)));
  // The division has no meaning for a color without spread
  const measured = part > 0 ? meanL - (covariance / variance) * meanA : 0;
  return Math.max(0, Math.min(maxGloss, meanL, part * measured + (1 - part) * assumed));
}

/** Returns the gain of the background by which its outer edge has the light of the wall. */
function wallGain({ side, rgb, mask }: PhotoOfBlank): number {
  const border = side * 0.03;
  const values: number[] = [];
  for (let i = 0; i < mask.length; i += 7) {
    const [x, y] = [i % side, Math.floor(i / side)];
    const toEdge = Math.min(x, y, side - 1 - x, side - 1 - y);
    if (toEdge < border && mask[i] === 0)
      values.push((linearTable[rgb[3 * i]!]! + linearTable[rgb[3 * i + 1]!]! + linearTable[rgb[3 * i + 2]!]!) / 3);
  }
  const median = values.sort((a, b) => a - b)[values.length >> 1];
  const wall = (linear(wallRgb[0]) + linear(wallRgb[1]) + linear(wallRgb[2])) / 3;
  return median === undefined ? 1 : Math.max(0.5, Math.min(3, wall / Math.max(median, 0.01)));
}

/**
 * Measures the color of a blank where it is fully lit: the mean of its pixels between the 90 % and
 * the 96 % quantile of brightness. The brightest are highlights.
 */
export function measureColor(rgb: Uint8Array, mask: Uint8Array): Rgb {
  const item: number[] = [];
  for (let i = 0; i < mask.length; i += 3) if (mask[i]! >= 250) item.push(i);
  const brightness = (i: number): number => rgb[3 * i]! + rgb[3 * i + 1]! + rgb[3 * i + 2]!;
  item.sort((a, b) => brightness(a) - brightness(b));
  const lit = item.slice(Math.floor(0.9 * item.length), Math.max(1, Math.ceil(0.96 * item.length)));
  const mean = (channel: number): number =>
    Math.round(lit.reduce((sum, i) => sum + rgb[3 * i + channel]!, 0) / Math.max(1, lit.length));
  return [mean(0), mean(1), mean(2)];
}
