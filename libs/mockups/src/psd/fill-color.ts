import { type Color, type Layer } from 'ag-psd';

type Rgb = readonly [red: number, green: number, blue: number];

/** Name of a color space that has no exact color in RGB; undefined for the others. */
export const foreignSpace = (color: Color): string | undefined =>
  'c' in color ? 'CMYK' : 'l' in color ? 'Lab' : undefined;

/**
 * Returns the color of a solid fill layer, 0..1. Colors in CMYK and Lab are approximated.
 *
 * @param color as the library reads it: red, green and blue are 0..255, hue and floats 0..1, all
 *   others 0..100
 */
export function rgbOf(color: Color): Rgb {
  if ('r' in color) return [color.r / 255, color.g / 255, color.b / 255];
  if ('fr' in color) return [color.fr, color.fg, color.fb];
  if ('h' in color) return fromHsb(color.h, color.s / 100, color.b / 100);
  if ('c' in color) {
    const paper = 1 - color.k / 100;
    return [paper * (1 - color.c / 100), paper * (1 - color.m / 100), paper * (1 - color.y / 100)];
  }
  const grey = 'l' in color ? color.l / 100 : 1 - color.k / 100;
  return [grey, grey, grey];
}

function fromHsb(hue: number, saturation: number, brightness: number): Rgb {
  const channel = (offset: number): number => {
    const sector = (offset + 6 * hue) % 6;
    return brightness * (1 - saturation * Math.max(0, Math.min(sector, 4 - sector, 1)));
  };
  return [channel(5), channel(3), channel(1)];
}

/** Returns the color of a fill layer as `#rrggbb`; white for other layers. */
export function hexOf(layer: Layer | null): string {
  const fill = layer?.vectorFill;
  const rgb = fill?.type === 'color' ? rgbOf(fill.color) : [1, 1, 1];
  return `#${rgb
    .map((it) =>
      Math.round(255 * Math.min(1, Math.max(0, it)))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}
