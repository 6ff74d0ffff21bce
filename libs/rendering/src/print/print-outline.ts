import { type PlacedArtwork } from '#contracts';
import { type TextOutline } from '../text/text-outline.js';
import { cmykTable } from './cmyk-table.js';
import { convertColors } from './color-table.js';
import { type PrintArea } from './print-area.js';

/** Text in a print area as curves, in one color. */
export interface PrintOutline extends PrintArea {
  readonly outline: TextOutline;
  readonly placed: PlacedArtwork;
  /** Parts of 255 of red, green and blue, or of the inks. */
  readonly color: readonly number[];
}

/**
 * Returns the outline of a text in a print area, at the place and in the color of its raster.
 *
 * @param rgb `#rrggbb`
 * @param cmykProfile path of the ICC profile for CMYK
 */
export async function outlinePrint(
  { outline, rgb }: { readonly outline: TextOutline; readonly rgb: string },
  placed: PlacedArtwork,
  print: PrintArea,
  cmykProfile: string,
): Promise<PrintOutline> {
  const color = Buffer.from(`${rgb.slice(1)}ff`, 'hex');
  if (print.colorSpace === 'cmyk') convertColors(color, await cmykTable(cmykProfile));
  return { ...print, outline, placed, color: [...color.subarray(0, print.colorSpace === 'cmyk' ? 4 : 3)] };
}
