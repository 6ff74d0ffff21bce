import { backgroundRgb, fullLight, glossTable, type Rgb } from './light.js';
import { type Plan } from './plan.js';

/** The item without a print: `edge` x `edge` pixels of three bytes. */
export function tintBlank(plan: Plan, rgb: Rgb): Buffer {
  const { edge, shade, mask, gloss } = plan;
  const image = Buffer.allocUnsafe(3 * edge * edge);
  const [red, green, blue] = [albedoOf(rgb, 0), albedoOf(rgb, 1), albedoOf(rgb, 2)];
  // One pass for the three channels takes half of what a pass for each does
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

/** Albedo / full light for each coverage: the item's colour laid over the background's. */
function albedoOf(rgb: Rgb, channel: 0 | 1 | 2): Float64Array {
  const [behind, item] = [backgroundRgb[channel], rgb[channel]];
  return Float64Array.from({ length: 256 }, (_, coverage) => (behind + ((item - behind) * coverage) / 255) / fullLight);
}

function lit(albedo: number, light: number): number {
  const value = (albedo * light + 0.5) | 0;
  return value > 255 ? 255 : value;
}
