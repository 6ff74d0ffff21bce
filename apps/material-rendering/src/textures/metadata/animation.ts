import type { TextureFormat } from '../texture.rules.js';

/**
 * Returns true for an image with more than one frame.
 *
 * @param pages number of images that the decoder finds in the file: it knows the frames of GIF and
 *   WebP, but not those of PNG and AVIF
 */
export function isAnimated(file: Buffer, format: TextureFormat, pages: number): boolean {
  if (format === 'png') return framesOfPng(file) > 1;
  if (format === 'avif') return file.toString('latin1', 8, 12) === 'avis';
  return pages > 1;
}

/** Returns the number of frames in the chunk acTL, which comes before the pixels. */
function framesOfPng(png: Buffer): number {
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'acTL') return png.readUInt32BE(at + 8);
    if (type === 'IDAT') break;
  }
  return 1;
}
