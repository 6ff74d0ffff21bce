import { dither } from './shade/deband.js';
import { addGrain, mottledTile } from './shade/fabric.js';
import { backgroundRgb, fullLight, glossTable, type Rgb } from './light.js';
import { type Plan } from './plan.js';

/**
 * Returns the item without a print: `edge` x `edge` pixels of three bytes.
 *
 * @param mottled whether its yarn consists of light and dark fibres
 */
export function tintBlank(plan: Plan, rgb: Rgb, mottled = false): Buffer {
  const { edge, mask, gloss } = plan;
  const shade = mottled ? mottledShade(plan) : plan.shade;
  const image = Buffer.allocUnsafe(3 * edge * edge);
  const [red, green, blue] = [albedoOf(rgb, 0), albedoOf(rgb, 1), albedoOf(rgb, 2)];
  // One pass for all three channels takes half the time of one pass per channel
  for (let i = 0, o = 0; i < mask.length; i++, o += 3) {
    const coverage = mask[i]!;
    const light = shade[i]!;
    const shine = gloss[i]! << 8;
    image[o] = glossTable[shine | lit(red[coverage]!, light)]!;
    image[o + 1] = glossTable[shine | lit(green[coverage]!, light)]!;
    image[o + 2] = glossTable[shine | lit(blue[coverage]!, light)]!;
  }
  return image;
}

/** Returns the shade with the fibres of the cloth. The print, which covers them, is lit without. */
function mottledShade({ edge, shade, mask, millimetresPerPixel }: Plan): Buffer {
  const light = Float32Array.from(shade);
  addGrain(light, mask, edge, mottledTile(millimetresPerPixel));
  return dither(light, edge);
}

/**
 * Returns albedo / full light for each coverage: the item's color composited over that of the
 * background.
 */
function albedoOf(rgb: Rgb, channel: 0 | 1 | 2): Float64Array {
  const [behind, item] = [backgroundRgb[channel], rgb[channel]];
  return Float64Array.from({ length: 256 }, (_, coverage) => (behind + ((item - behind) * coverage) / 255) / fullLight);
}

function lit(albedo: number, light: number): number {
  const value = (albedo * light + 0.5) | 0;
  return value > 255 ? 255 : value;
}
