import { type BlendMode } from 'ag-psd';

/** Blends a channel, 0..1: `b` is below, `s` is the layer. */
type Channel = (b: number, s: number) => number;

const colorBurn: Channel = (b, s) => (b >= 1 ? 1 : s <= 0 ? 0 : 1 - Math.min(1, (1 - b) / s));
const colorDodge: Channel = (b, s) => (b <= 0 ? 0 : s >= 1 ? 1 : Math.min(1, b / (1 - s)));
const hardLight: Channel = (b, s) => (s <= 0.5 ? 2 * b * s : 1 - 2 * (1 - b) * (1 - s));
const vividLight: Channel = (b, s) => (s <= 0.5 ? colorBurn(b, 2 * s) : colorDodge(b, 2 * s - 1));

function softLight(b: number, s: number): number {
  if (s <= 0.5) return b - (1 - 2 * s) * b * (1 - b);
  const d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : Math.sqrt(b);
  return b + (2 * s - 1) * (d - b);
}

/** Modes that blend each channel for itself (ISO 32000-2, 11.3.5.2, and those of Photoshop). */
export const channelModes: Readonly<Partial<Record<BlendMode, Channel>>> = {
  darken: Math.min,
  multiply: (b, s) => b * s,
  'color burn': colorBurn,
  'linear burn': (b, s) => Math.max(0, b + s - 1),
  lighten: Math.max,
  screen: (b, s) => b + s - b * s,
  'color dodge': colorDodge,
  'linear dodge': (b, s) => Math.min(1, b + s),
  overlay: (b, s) => hardLight(s, b),
  'soft light': softLight,
  'hard light': hardLight,
  'vivid light': vividLight,
  'linear light': (b, s) => Math.min(1, Math.max(0, b + 2 * s - 1)),
  'pin light': (b, s) => (s <= 0.5 ? Math.min(b, 2 * s) : Math.max(b, 2 * s - 1)),
  'hard mix': (b, s) => (b + s >= 1 ? 1 : 0),
  difference: (b, s) => Math.abs(b - s),
  exclusion: (b, s) => b + s - 2 * b * s,
  subtract: (b, s) => Math.max(0, b - s),
  divide: (b, s) => (s <= 0 ? 1 : Math.min(1, b / s)),
};

type Rgb = readonly [number, number, number];
type Colors = (b: Rgb, s: Rgb) => Rgb;

const luminosity = ([r, g, b]: Rgb): number => 0.3 * r + 0.59 * g + 0.11 * b;
const saturation = (color: Rgb): number => Math.max(...color) - Math.min(...color);

function withLuminosity(color: Rgb, target: number): Rgb {
  const shift = target - luminosity(color);
  const moved = color.map((it) => it + shift);
  const [low, high] = [Math.min(...moved), Math.max(...moved)];
  const clipped = (it: number): number => {
    if (low < 0) return target + ((it - target) * target) / (target - low);
    return high > 1 ? target + ((it - target) * (1 - target)) / (high - target) : it;
  };
  return moved.map(clipped) as unknown as Rgb;
}

function withSaturation(color: Rgb, target: number): Rgb {
  const [low, range] = [Math.min(...color), saturation(color)];
  return color.map((it) => (range > 0 ? ((it - low) * target) / range : 0)) as unknown as Rgb;
}

/** Modes that blend all channels together (ISO 32000-2, 11.3.5.3). */
export const colorModes: Readonly<Partial<Record<BlendMode, Colors>>> = {
  hue: (b, s) => withLuminosity(withSaturation(s, saturation(b)), luminosity(b)),
  saturation: (b, s) => withLuminosity(withSaturation(b, saturation(s)), luminosity(b)),
  color: (b, s) => withLuminosity(s, luminosity(b)),
  luminosity: (b, s) => withLuminosity(b, luminosity(s)),
  'darker color': (b, s) => (luminosity(b) <= luminosity(s) ? b : s),
  'lighter color': (b, s) => (luminosity(b) >= luminosity(s) ? b : s),
};

/** Pixels: red, green, blue and alpha of 0..1, colors not multiplied by alpha. */
export interface Raster {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly rgba: Float32Array;
}

interface BlendOptions {
  readonly mode: BlendMode;
  /** 0..1. */
  readonly opacity: number;
  /** Factor of the opacity of each pixel of the target, 0..1. Missing = 1. */
  readonly mask?: Float32Array | null;
  /** True to preserve the alpha of the target: for clipped layers. */
  readonly isClipped?: boolean;
}

/** Draws a raster over a target that starts at 0, 0. */
export function blend(
  target: Raster,
  source: Raster,
  { mode, opacity, mask = null, isClipped = false }: BlendOptions,
): void {
  const [channel, colors] = [channelModes[mode], colorModes[mode]];
  const isNormal = !channel && !colors;
  const [left, top] = [Math.max(0, source.left), Math.max(0, source.top)];
  const right = Math.min(target.width, source.left + source.width);
  const bottom = Math.min(target.height, source.top + source.height);
  const [from, to] = [source.rgba, target.rgba];
  for (let y = top; y < bottom; y++) {
    let index = y * target.width + left;
    let i = 4 * ((y - source.top) * source.width + left - source.left);
    for (let x = left; x < right; x++, index++, i += 4) {
      const o = 4 * index;
      const alpha = from[i + 3]! * (mask ? mask[index]! * opacity : opacity);
      const below = to[o + 3]!;
      if (alpha <= 0 || (isClipped && below <= 0)) continue;
      if (isNormal && alpha === 1) {
        to[o] = from[i]!;
        to[o + 1] = from[i + 1]!;
        to[o + 2] = from[i + 2]!;
        if (!isClipped) to[o + 3] = 1;
        continue;
      }
      const result = isClipped ? below : alpha + below - alpha * below;
      // Share of the source in the color, after the part that is blended with the target
      const share = isClipped || below === 1 ? alpha : alpha / result;
      const blended = isClipped ? 1 : below;
      const mixed = colors?.([to[o]!, to[o + 1]!, to[o + 2]!], [from[i]!, from[i + 1]!, from[i + 2]!]);
      for (let c = 0; c < 3; c++) {
        const b = to[o + c]!;
        const s = from[i + c]!;
        const color = isNormal ? s : mixed ? mixed[c]! : channel!(b, s);
        to[o + c] = b + share * (s + blended * (color - s) - b);
      }
      to[o + 3] = result;
    }
  }
}
