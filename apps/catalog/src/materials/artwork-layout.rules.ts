import { type PlacedArtwork, type PrintArea } from '#contracts';
import { inkArea, type Size } from '#placement';
import { type Artwork } from '../products/product.rules.js';

/** An image in a print area. */
export interface ArtworkLayout {
  readonly artwork: Artwork;
  readonly area: PrintArea;
  readonly placed: PlacedArtwork;
  /** Resolution that the technique of the place needs. */
  readonly minDpi: number;
}

const millimetresPerInch = 25.4;

/** Returns the image pixels per inch of the print, equal in both directions. */
export function dpiOf({ artwork, placed: { matrix } }: ArtworkLayout): number {
  const [a, b] = matrix;
  return (millimetresPerInch * artwork.width) / Math.hypot(a, b);
}

/** Returns the share of the image that is outside the print area; 0 for repeated images. */
export function croppedShare({ area, placed }: ArtworkLayout): number {
  if (placed.repeat !== 'none') return 0;
  const [a, b, c, d] = placed.matrix;
  return Math.max(0, 1 - inkArea(placed, area.millimetres) / Math.abs(a * d - b * c));
}

/** Returns the size multiplied by a factor, rounded up to whole pixels. */
export function scaledSize({ width, height }: Size, factor: number): Size {
  // Floating-point errors slightly above a whole number must not add a pixel
  const roundUp = (length: number) => Math.ceil(length * factor * (1 - 1e-9));
  return { width: roundUp(width), height: roundUp(height) };
}
