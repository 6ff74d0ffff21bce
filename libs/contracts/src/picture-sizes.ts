import { z } from 'zod';
import { defaultPictureSizes } from './image-url.js';

/** Pixels of the longest side that a picture may have. */
export const largestPictureSide = 4096;

const isSize = (text: string): boolean =>
  /^[1-9]\d{0,3}x[1-9]\d{0,3}$/.test(text) && text.split('x').every((side) => Number(side) <= largestPictureSide);

/** The setting PICTURE_SIZES of those who draw and of those who answer. */
export const pictureSizes = z
  .string()
  .default(defaultPictureSizes.join(','))
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((sizes) => sizes.every(isSize), {
    error: `must look like 323x323,765x765, with sides of 1 to ${largestPictureSide} pixels`,
  })
  .transform((sizes): ReadonlySet<string> => new Set(sizes))
  .meta({ kind: 'list of `WIDTHxHEIGHT`' })
  .describe('Image sizes in pixels. Others are 404');
