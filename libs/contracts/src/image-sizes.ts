import { z } from 'zod';
import { defaultImageSizes } from './image-url.js';

/** Pixels of the longest side that an image may have. */
export const largestImageSide = 4096;

const isSize = (text: string): boolean =>
  /^[1-9]\d{0,3}x[1-9]\d{0,3}$/.test(text) && text.split('x').every((side) => Number(side) <= largestImageSide);

/** The setting IMAGE_SIZES of those who draw and of those who answer. */
export const imageSizes = z
  .string()
  .default(defaultImageSizes.join(','))
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((sizes) => sizes.every(isSize), {
    error: `must look like 323x323,765x765, with sides of 1 to ${largestImageSide} pixels`,
  })
  .transform((sizes): ReadonlySet<string> => new Set(sizes))
  .meta({ kind: 'list of `WIDTHxHEIGHT`' })
  .describe('Image sizes in pixels. Others are 404');
