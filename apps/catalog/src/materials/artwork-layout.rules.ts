import { type PrintArea, type ResizeMode } from '#contracts';
import { type Artwork } from '../products/product.rules.js';

/** An image in a print area. */
export interface ArtworkLayout {
  readonly artwork: Artwork;
  readonly area: PrintArea;
  readonly mode: ResizeMode;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const millimetresPerInch = 25.4;

/**
 * Returns the scale at which the whole image fits into the area or, with mode `cover`, at which the
 * image covers the whole area.
 */
function scaleFactor(artwork: Size, area: Size, mode: ResizeMode): number {
  const ratios = [area.width / artwork.width, area.height / artwork.height];
  return mode === 'cover' ? Math.max(...ratios) : Math.min(...ratios);
}

/** Returns the image pixels per inch of the print, equal in both directions. */
export const dpiOf = ({ artwork, area, mode }: ArtworkLayout): number =>
  millimetresPerInch / scaleFactor(artwork, area.millimetres, mode);

/**
 * Returns the factor by which the image is scaled to the pixels of the print area; above 1 it is
 * enlarged.
 */
export const upscalingFactor = ({ artwork, area, mode }: ArtworkLayout): number =>
  scaleFactor(artwork, area.pixels, mode);

/**
 * Returns the shares of the image's width and height that are cropped. At most one of them is above
 * 0.
 */
export function croppedShare({ artwork, area: { millimetres: area }, mode }: ArtworkLayout): Size {
  const scale = scaleFactor(artwork, area, mode);
  const share = (length: number, available: number) => Math.max(0, 1 - available / (length * scale));
  return { width: share(artwork.width, area.width), height: share(artwork.height, area.height) };
}

/** Returns the size multiplied by a factor, rounded up to whole pixels. */
export function scaledSize({ width, height }: Size, factor: number): Size {
  // Floating-point errors slightly above a whole number must not add a pixel
  const roundUp = (length: number) => Math.ceil(length * factor * (1 - 1e-9));
  return { width: roundUp(width), height: roundUp(height) };
}
