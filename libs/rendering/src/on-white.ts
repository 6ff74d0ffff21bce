import { encode } from './encode.js';
import type { PyramidLevel } from './texture.js';

/** Returns a level as WebP, without transparency: on white, and without metadata. */
export async function encodeOnWhite({ data, width, height }: PyramidLevel): Promise<Buffer> {
  const rgb = Buffer.allocUnsafe(3 * width * height);
  for (let from = 0, to = 0; from < data.length; from += 4, to += 3) {
    // The level is premultiplied
    const white = 255 - data[from + 3]!;
    for (let channel = 0; channel < 3; channel += 1) rgb[to + channel] = Math.min(255, data[from + channel]! + white);
  }
  return encode(rgb, width, height, 'webp');
}
