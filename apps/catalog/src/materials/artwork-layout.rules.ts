import { type PrintArea, type ResizeMode } from '#contracts';
import { type Artwork } from '../products/product.rules.js';

/** An image as it is laid into a print area. */
export interface LaidArtwork {
  readonly artwork: Artwork;
  readonly area: PrintArea;
  readonly mode: ResizeMode;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const millimetresPerInch = 25.4;

/** How much larger the image becomes: until it fits the area with all of it, or until nothing of the area is left. */
function enlargement(artwork: Size, area: Size, mode: ResizeMode): number {
  const ratios = [area.width / artwork.width, area.height / artwork.height];
  return mode === 'cover' ? Math.max(...ratios) : Math.min(...ratios);
}

/** Pixels of the image per inch of the print, across and down alike. */
export const dpiOf = ({ artwork, area, mode }: LaidArtwork): number =>
  millimetresPerInch / enlargement(artwork, area.millimetres, mode);

/** How many times larger the image must become to have the pixels that the place is printed with. */
export const upscalingOf = ({ artwork, area, mode }: LaidArtwork): number => enlargement(artwork, area.pixels, mode);

/** What part of the image's width and height is cut off at the edges of the area: of one of them at most. */
export function croppedOf({ artwork, area: { millimetres: area }, mode }: LaidArtwork): Size {
  const scale = enlargement(artwork, area, mode);
  const cut = (length: number, room: number) => Math.max(0, 1 - room / (length * scale));
  return { width: cut(artwork.width, area.width), height: cut(artwork.height, area.height) };
}

/** The size of the smallest image of the same proportions that is that many times as large, in whole pixels. */
export function enlarged({ width, height }: Size, times: number): Size {
  // A division that should end at a whole number ends a hair beside it, and that is not a pixel more
  const whole = (length: number) => Math.ceil(length * times * (1 - 1e-9));
  return { width: whole(width), height: whole(height) };
}
