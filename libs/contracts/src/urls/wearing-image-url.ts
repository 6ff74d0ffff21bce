import { type ImageFormat } from '../messages/material-rendering.js';
import { imagePath } from './image-url.js';

/** Path of images that show how an item is worn: `{path}/{item}.{format}`. */
export const wearingImagePath = `${imagePath}/wearing`;

/** Formats of these images. */
export const wearingImageFormats = ['png', 'webp'] as const satisfies readonly ImageFormat[];

/** Width and height of these images in pixels. */
export const wearingImageSide = 765;

/**
 * Returns the URLs of the image of a worn item by format.
 *
 * @param version number of imported versions of the item, so that a new version has another URL
 */
export const wearingImageUrls = (base: string, itemName: string, version: number): Record<string, string> =>
  Object.fromEntries(
    wearingImageFormats.map((format) => [
      format,
      `${base}${wearingImagePath}/${itemName}.${format}${version > 0 ? `?v=${version}` : ''}`,
    ]),
  );

/** An item as its wearing image shows it. */
interface WornItem {
  readonly itemName: string;
  readonly angle: string;
  /** `#rrggbb`: a new version may give the color another value. */
  readonly rgb: string;
  /** Hash of its layers, so that no image of earlier layers is found. */
  readonly layers: string;
  readonly format: ImageFormat;
}

/** Returns the blob key of the image of a worn item, in a folder whose images are evicted. */
export const wearingImageKey = ({ itemName, layers, rgb, angle, format }: WornItem): string =>
  `blanks/${itemName}/wearing/${layers}/${rgb.slice(1)}/${angle}.${format}`;
