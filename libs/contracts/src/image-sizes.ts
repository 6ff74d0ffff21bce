import { z } from 'zod';
import { defaultImageSizes } from './urls/image-url.js';

/** Maximum width and height of an image in pixels. */
export const maxImageSidePixels = 4096;

const isSize = (text: string): boolean =>
  /^[1-9]\d{0,3}x[1-9]\d{0,3}$/.test(text) && text.split('x').every((side) => Number(side) <= maxImageSidePixels);

/** The setting IMAGE_SIZES, shared by material-rendering and the gateway. */
export const imageSizes = z
  .string()
  .default(defaultImageSizes.join(','))
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((sizes) => sizes.every(isSize), {
    error: `must look like 323x323,765x765, with sides of 1 to ${maxImageSidePixels} pixels`,
  })
  .transform((sizes): ReadonlySet<string> => new Set(sizes))
  .meta({ kind: 'list of `WIDTHxHEIGHT`' })
  .describe('Image sizes in pixels. Others are 404');
