import { type Size } from '#placement';

/** What a printer needs to know about the area that it prints. Lengths are in millimetres. */
export interface PrintArea {
  readonly area: Size;
  /** Width of the print beyond each edge of the area. */
  readonly bleed: number;
  readonly dpi: number;
  /** Whether the file is mirrored, because it is printed on transfer paper. */
  readonly mirror: boolean;
  readonly colorSpace: 'rgb' | 'cmyk';
}

/** Pixels of a print file: the area and its bleed. */
export interface PixelGrid {
  readonly width: number;
  readonly height: number;
  /** Distance of pixels in millimetres. */
  readonly pitch: number;
}

const millimetresPerInch = 25.4;

/** Returns the length in millimetres of the pixels of a resolution. */
const pitchOf = (dpi: number): number => millimetresPerInch / dpi;

/**
 * Returns the pixels that cover the area and its bleed. The last column and the last row may reach
 * beyond the bleed, so that pixels have exactly the pitch of the resolution.
 */
export function pixelGrid({ area, bleed, dpi }: PrintArea): PixelGrid {
  const pitch = pitchOf(dpi);
  // A length of a whole number of pixels may be slightly more in floating point
  const pixels = (length: number): number => Math.ceil((length + 2 * bleed) / pitch - 1e-6);
  return { width: pixels(area.width), height: pixels(area.height), pitch };
}
