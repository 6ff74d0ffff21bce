import { backgroundRgb, fullLight, glossTable, type Rgb } from './light.js';
import { type Plan } from './plan.js';

/** The item without a print: `edge` x `edge` pixels of three bytes. */
export function tintBlank(plan: Plan, rgb: Rgb): Buffer {
  const { edge, shade, mask, gloss } = plan;
  const picture = Buffer.allocUnsafe(3 * edge * edge);
  for (let c = 0; c < 3; c++) {
    // Albedo / full light for each coverage: the item's colour laid over the background's
    const albedo = Float64Array.from(
      { length: 256 },
      (_, coverage) => (backgroundRgb[c]! + ((rgb[c]! - backgroundRgb[c]!) * coverage) / 255) / fullLight,
    );
    for (let i = 0, o = c; i < mask.length; i++, o += 3) {
      const value = (albedo[mask[i]!]! * shade[i]! + 0.5) | 0;
      picture[o] = glossTable[(gloss[i]! << 8) | (value > 255 ? 255 : value)]!;
    }
  }
  return picture;
}
