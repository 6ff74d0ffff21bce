import type { TextureFormat } from '../texture.rules.js';
import { partsOfAvif } from './avif.js';
import { partsOfGif } from './gif.js';
import { partsOfJpeg } from './jpeg.js';
import { partsOfPng } from './png.js';
import type { StoredPart, StoredParts } from './stored-parts.js';
import { partsOfWebp } from './webp.js';

const partsOf: Readonly<Record<TextureFormat, (file: Buffer, orientation: number) => StoredParts>> = {
  avif: partsOfAvif,
  gif: partsOfGif,
  jpeg: partsOfJpeg,
  png: partsOfPng,
  webp: partsOfWebp,
};

/**
 * Returns the parts of an image file without its metadata, with unchanged pixels and colors, or
 * null when there is nothing to remove. Runs in child processes only. For a damaged file, the
 * function throws or the decoder rejects the result.
 *
 * @param orientation EXIF orientation, the only EXIF value that is copied; 1 when there is none
 * @throws TooManyParts
 * @throws Error for a damaged file
 */
export const withoutMetadata = (
  file: Buffer,
  format: TextureFormat,
  orientation: number,
): readonly StoredPart[] | null => partsOf[format](file, orientation).of(file);
