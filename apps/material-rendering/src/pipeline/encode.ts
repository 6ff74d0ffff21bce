import { type ImageFormat } from '#contracts';
import { type Sharp } from 'sharp';
import { giveBackPixels } from './pixels.js';
import { sharp } from './sharp.js';

/**
 * How each format is written. Encoding is what an image costs, so every setting is the cheapest that looks right; CPU
 * for 765 x 765: JPEG 5 ms (mozjpeg 26), WebP 14 (34 at its default effort), PNG 4 to 16 (palette 81), AVIF 25 to 114
 * (727 at its default effort).
 */
export const encoders = {
  jpg: (image) => image.jpeg({ quality: 80 }),
  webp: (image) => image.webp({ quality: 80, effort: 2 }),
  png: (image) => image.png({ compressionLevel: 2 }),
  avif: (image) => image.avif({ quality: 50, effort: 1 }),
} as const satisfies Record<ImageFormat, (image: Sharp) => Sharp>;

/** @param rgb three bytes per pixel; borrowed ones are given back when they are encoded */
export async function encode(rgb: Buffer, width: number, height: number, format: ImageFormat): Promise<Buffer> {
  const encoded = await encoders[format](sharp(rgb, { raw: { width, height, channels: 3 } })).toBuffer();
  giveBackPixels(rgb);
  return encoded;
}
