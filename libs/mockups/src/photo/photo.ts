import { openTexture, type Sharp } from '#images';
import { readFileWithin, unreadable } from '#blanks';
import { masterSide } from '../bundle/master.js';

const maxBytes = 40 * 1024 ** 2;

/** Square of a photo, in pixels. */
export interface Square {
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/** A photo, or a mask of its size, of which a square is used. */
export interface Photo {
  readonly width: number;
  readonly height: number;
  readonly bytes: Buffer;
}

/**
 * Opens a JPEG, PNG or WebP file.
 *
 * @param at path of the file in the description, for messages
 * @throws DomainError `catalog.invalid` when it is missing, damaged or too large
 */
export async function openPhoto(path: string, at: string): Promise<Photo> {
  const bytes = await readFileWithin(path, maxBytes, at);
  const { format, autoOrient } = await openTexture(bytes)
    .metadata()
    .catch(() => {
      throw unreadable(at, 'is not an image, is damaged, or has more than 50 million pixels');
    });
  if (!['jpeg', 'png', 'webp'].includes(format)) throw unreadable(at, 'is not a JPEG, PNG or WebP image');
  return { ...autoOrient, bytes };
}

/**
 * Returns the square of a photo that is used: the given one, or the largest in the middle.
 *
 * @throws DomainError `catalog.invalid` when it leaves the photo, or has too few pixels
 */
export function squareOf({ width, height }: Photo, crop: Square | undefined, at: string): Square {
  const size = Math.min(width, height);
  const square = crop ?? { x: (width - size) >> 1, y: (height - size) >> 1, size };
  if (square.x + square.size > width || square.y + square.size > height)
    throw unreadable(at, `reaches beyond the ${width} x ${height} pixels of the photo`);
  // Enlarged light is blurred, and libvips shifts it by half a pixel
  if (square.size < masterSide) throw unreadable(at, `has ${square.size} pixels, ${masterSide} are needed`);
  return square;
}

/** Reads a square of a photo as `side` x `side` pixels of `channels` bytes. */
export async function readSquare(
  { bytes }: Photo,
  { x, y, size }: Square,
  { side, channels, at }: { readonly side: number; readonly channels: 1 | 3; readonly at: string },
): Promise<Uint8Array> {
  const image: Sharp = openTexture(bytes)
    .flatten({ background: channels === 1 ? '#000000' : '#ebebe9' })
    .extract({ left: x, top: y, width: size, height: size })
    .toColourspace(channels === 1 ? 'b-w' : 'srgb')
    // Exact positions: shrinking while a JPEG is decoded rounds its size
    .resize(side, side, { kernel: 'lanczos3', fastShrinkOnLoad: false });
  try {
    return await image.raw().toBuffer();
  } catch {
    throw unreadable(at, 'is damaged');
  }
}
