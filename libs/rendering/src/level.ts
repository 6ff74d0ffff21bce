import { halve } from './halve.js';
import { openTexture, sharp } from '#images';
import { type PyramidLevel } from './texture.js';

/**
 * Long edge of the level that a new image is decoded to when it is measured. It suffices for the
 * dominant color, and scaling to it decodes the file to its end.
 */
export const measuredEdge = 1024;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns width and height of the upright image, from its header. */
async function readSize(bytes: Buffer): Promise<Size> {
  const { autoOrient } = await openTexture(bytes).metadata();
  return autoOrient;
}

const sizeOf = (edge: number, aspect: number): Size => ({
  width: Math.max(1, Math.round(aspect >= 1 ? edge : edge * aspect)),
  height: Math.max(1, Math.round(aspect >= 1 ? edge / aspect : edge)),
});

/**
 * Decodes an image of a client to one level, with any accepted orientation, color profile and pixel
 * format (CMYK, 16 bit, palette, grey). A smaller original is not enlarged, because the
 * interpolation of the warp does that equally well. Enlarging with libvips takes 200 ms from 2000
 * to 2048 pixels. It also shifts the image by half an enlarged pixel, see `enlarge`: for an artwork
 * of 96 pixels that is 0.43 pixels of the product image.
 *
 * @param size of the upright image, if the caller has read its header
 */
export async function decodeLevel(bytes: Buffer, edge: number, size?: Size): Promise<PyramidLevel> {
  const original = size ?? (await readSize(bytes));
  const aspect = original.width / original.height;
  const longEdge = Math.max(original.width, original.height);
  const { width, height } = sizeOf(Math.min(edge, longEdge), aspect);
  const data = await openTexture(bytes)
    .resize(width, height, { fit: 'fill' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer();
  return { edge, width, height, aspect, data: premultiply(data) };
}

/**
 * Returns a smaller level, scaled from a larger one. The pixels of a small original are not
 * changed.
 */
export async function scaleDown(from: PyramidLevel, edge: number): Promise<PyramidLevel> {
  if (Math.max(from.width, from.height) <= edge) return { ...from, edge };
  const { width, height } = sizeOf(edge, from.aspect);
  if (from.width === 2 * width && from.height === 2 * height) {
    return { edge, width, height, aspect: from.aspect, data: halve(from.data, from.width, from.height) };
  }
  // sharp premultiplies itself. It converts images that are declared as premultiplied to floats
  // first: 37 ms instead of 12
  const straight = unpremultiply(Buffer.from(from.data));
  const raw = { width: from.width, height: from.height, channels: 4 } as const;
  const data = await sharp(straight, { raw }).resize(width, height, { fit: 'fill' }).raw().toBuffer();
  return { edge, width, height, aspect: from.aspect, data: premultiply(data) };
}

/** Multiplies RGBA bytes by their alpha, in place. */
function premultiply(data: Buffer): Buffer {
  for (let i = 3; i < data.length; i += 4) {
    const alpha = data[i]!;
    if (alpha === 255) continue;
    data[i - 3] = (data[i - 3]! * alpha + 127) / 255;
    data[i - 2] = (data[i - 2]! * alpha + 127) / 255;
    data[i - 1] = (data[i - 1]! * alpha + 127) / 255;
  }
  return data;
}

/** Divides RGBA bytes by their alpha, in place. Colors with a small alpha lose precision. */
export function unpremultiply(data: Buffer): Buffer {
  for (let i = 3; i < data.length; i += 4) {
    const alpha = data[i]!;
    if (alpha === 255 || alpha === 0) continue;
    data[i - 3] = Math.min(255, (data[i - 3]! * 255 + (alpha >> 1)) / alpha);
    data[i - 2] = Math.min(255, (data[i - 2]! * 255 + (alpha >> 1)) / alpha);
    data[i - 1] = Math.min(255, (data[i - 1]! * 255 + (alpha >> 1)) / alpha);
  }
  return data;
}
