import { type PlacedArtwork } from '#contracts';
import { apply, invert, type Size } from '#placement';
import { cmykTable } from './cmyk-table.js';
import { convertColors } from './color-table.js';
import { type Cut } from './cut.js';
import { type PrintArea } from './print-area.js';

/** Size of an upright image in pixels, and a function that decodes a part of it: `decodeCut`. */
export interface ArtworkSource extends Size {
  readonly decode: (cut: Cut) => Promise<Buffer>;
}

/**
 * Pixels of the part of an artwork that a print shows. Each pixel has four bytes: RGBA, or CMYK.
 * The colors are multiplied by alpha, so that they are interpolated with their weight. Of CMYK that
 * is the ink on white paper, which needs no alpha.
 */
export interface Artwork {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
  /** Pixels of the whole artwork to the left of the part, and above it. */
  readonly left: number;
  readonly top: number;
  /** Pixels of the whole artwork along X and Y; not whole numbers if the part was scaled. */
  readonly perX: number;
  readonly perY: number;
}

interface Span {
  readonly start: number;
  readonly length: number;
}

/** Pixels around the visible part that interpolation reads. */
const margin = 3;

/** Returns the range of X and Y that is visible: the whole artwork if it is repeated. */
function visibleRange({ matrix, repeat }: PlacedArtwork, { area, bleed }: PrintArea): { x: number[]; y: number[] } {
  if (repeat !== 'none') return { x: [0, 1], y: [0, 1] };
  const inverse = invert(matrix);
  const points = [-bleed, area.width + bleed].flatMap((x) =>
    [-bleed, area.height + bleed].map((y) => apply(inverse, { x, y })),
  );
  return { x: points.map((point) => point.x), y: points.map((point) => point.y) };
}

/** Returns the whole pixels of a range of an axis of `size` pixels. */
function spanOf(range: number[], size: number, around: number): Span {
  const start = Math.floor(Math.min(1, Math.max(0, Math.min(...range))) * size - around);
  const end = Math.ceil(Math.min(1, Math.max(0, Math.max(...range))) * size + around);
  const first = Math.min(size - 1, Math.max(0, start));
  return { start: first, length: Math.max(1, Math.min(size, end) - first) };
}

/** Returns the visible part of an artwork, scaled down to the resolution of the print. */
function cutOf(whole: Size, placed: PlacedArtwork, print: PrintArea): Cut {
  const [a, b, c, d] = placed.matrix;
  const pitch = 25.4 / print.dpi;
  const scaleX = Math.min(1, Math.hypot(a, b) / pitch / whole.width);
  const scaleY = Math.min(1, Math.hypot(c, d) / pitch / whole.height);
  const visible = visibleRange(placed, print);
  const x = spanOf(visible.x, whole.width, margin / scaleX);
  const y = spanOf(visible.y, whole.height, margin / scaleY);
  return {
    left: x.start,
    top: y.start,
    width: x.length,
    height: y.length,
    scaledWidth: Math.max(1, Math.round(x.length * scaleX)),
    scaledHeight: Math.max(1, Math.round(y.length * scaleY)),
  };
}

/**
 * Decodes the visible part of an artwork in the colors of a print. An artwork that is smaller than
 * the print is enlarged by the raster, which takes less time than converting the colors of an
 * enlarged one.
 *
 * @param cmykProfile path of the ICC profile for CMYK
 */
export async function decodeArtwork(
  source: ArtworkSource,
  placed: PlacedArtwork,
  print: PrintArea,
  cmykProfile: string,
): Promise<Artwork> {
  const cut = cutOf(source, placed, print);
  const data = await source.decode(cut);
  if (print.colorSpace === 'cmyk') convertColors(data, await cmykTable(cmykProfile));
  else premultiply(data);
  const { scaledWidth: width, scaledHeight: height } = cut;
  return {
    width,
    height,
    data,
    left: (cut.left * width) / cut.width,
    top: (cut.top * height) / cut.height,
    perX: (source.width * width) / cut.width,
    perY: (source.height * height) / cut.height,
  };
}

/** Multiplies RGBA bytes by their alpha, in place. */
function premultiply(data: Buffer): void {
  for (let i = 3; i < data.length; i += 4) {
    const alpha = data[i]!;
    if (alpha === 255) continue;
    for (let c = i - 3; c < i; c++) data[c] = (data[c]! * alpha + 127) / 255;
  }
}
