import { type BlendMode } from 'ag-psd';
import { sharp } from '#images';
import { blend, channelModes, colorModes, type Raster } from './blend.js';

const side = 16;
/** Colors and alphas of many combinations: those of `seed`. */
function raster(seed: number): Raster {
  const rgba = new Float32Array(4 * side * side);
  for (let o = 0, state = seed; o < rgba.length; o++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    rgba[o] = Math.round((255 * state) / 2_147_483_648) / 255;
  }
  return { left: 0, top: 0, width: side, height: side, rgba };
}
const bytesOf = ({ rgba }: Raster): Buffer => Buffer.from(rgba.map((it) => Math.round(255 * it)));

/** Names of libvips, which implements the formulas of the PDF specification on its own. */
const others = {
  normal: 'over',
  multiply: 'multiply',
  screen: 'screen',
  overlay: 'overlay',
  darken: 'darken',
  lighten: 'lighten',
  'color dodge': 'colour-dodge',
  'color burn': 'colour-burn',
  'hard light': 'hard-light',
  'soft light': 'soft-light',
  difference: 'difference',
  exclusion: 'exclusion',
} as const satisfies Partial<Record<BlendMode, string>>;

const drawn = (mode: BlendMode, below: Raster, above: Raster, isClipped = false): Raster => {
  const target = { ...below, rgba: below.rgba.slice() };
  blend(target, above, { mode, opacity: 1, isClipped });
  return target;
};

describe('blend', () => {
  // libvips multiplies colors by alpha before it blends them
  const opaque = (it: Raster): Raster => ({
    ...it,
    rgba: it.rgba.map((value, index) => (index % 4 === 3 ? 1 : value)),
  });

  it.each(Object.entries(others))('draws %s as libvips does', async (mode, other) => {
    const [below, above] = mode === 'normal' ? [raster(7), raster(1_234)] : [raster(7), raster(1_234)].map(opaque);
    const raw = { width: side, height: side, channels: 4 } as const;
    const expected = await sharp(bytesOf(below!), { raw })
      .composite([{ input: bytesOf(above!), raw, blend: other }])
      .raw()
      .toBuffer();
    const found = drawn(mode as BlendMode, below!, above!);
    const differences = bytesOf(found).map((value, index) => {
      // Colors of nearly transparent pixels are rounded
      const alpha = expected[index | 3]! / 255;
      return Math.round(Math.abs(value - expected[index]!) * (index % 4 === 3 ? 1 : alpha));
    });
    expect(Math.max(...differences)).toBeLessThanOrEqual(2);
  });

  it.each<[BlendMode, number, number, number]>([
    ['linear burn', 0.7, 0.6, 0.3],
    ['linear dodge', 0.7, 0.6, 1],
    ['vivid light', 0.5, 0.25, 0],
    ['vivid light', 0.4, 0.6, 0.5],
    ['linear light', 0.5, 0.6, 0.7],
    ['pin light', 0.5, 0.1, 0.2],
    ['pin light', 0.5, 0.9, 0.8],
    ['hard mix', 0.5, 0.6, 1],
    ['hard mix', 0.3, 0.6, 0],
    ['subtract', 0.7, 0.6, 0.1],
    ['divide', 0.3, 0.6, 0.5],
  ])('%s of %f and %f is %f', (mode, b, s, expected) => {
    expect(channelModes[mode]!(b, s)).toBeCloseTo(expected, 6);
  });

  it.each<[BlendMode, 'above' | 'below']>([
    ['hue', 'below'],
    ['saturation', 'below'],
    ['color', 'below'],
    ['luminosity', 'above'],
    ['darker color', 'above'],
    ['lighter color', 'below'],
  ])('%s has the luminosity of the color %s', (mode, from) => {
    const colors = { below: [0.2, 0.5, 0.2], above: [1, 0, 0] } as const;
    const luminosity = ([r, g, b]: readonly [number, number, number]) => 0.3 * r + 0.59 * g + 0.11 * b;
    expect(luminosity(colorModes[mode]!(colors.below, colors.above))).toBeCloseTo(luminosity(colors[from]), 6);
  });

  it('weighs colors by alpha as the PDF specification does', () => {
    const flat = (color: number): Raster => ({
      ...raster(3),
      rgba: Float32Array.from({ length: 1_024 }, (_, i) => (i % 4 === 3 ? 0.5 : color)),
    });
    const [color, , , alpha] = drawn('multiply', flat(0.8), flat(0.5)).rgba;
    expect(alpha).toBeCloseTo(0.75, 6);
    expect(color).toBeCloseTo((0.25 * 0.8 + 0.5 * (0.5 * 0.5 + 0.5 * 0.4)) / 0.75, 6);
  });

  it('preserves the alpha of what a layer is clipped to', () => {
    const below = { ...raster(3), rgba: Float32Array.from({ length: 1_024 }, (_, i) => (i % 4 === 3 ? 0.5 : 1)) };
    const above = { ...below, rgba: Float32Array.from({ length: 1_024 }, (_, i) => (i % 4 === 3 ? 1 : 0.25)) };
    expect([...drawn('multiply', below, above, true).rgba.subarray(0, 4)]).toEqual([0.25, 0.25, 0.25, 0.5]);
  });
});
