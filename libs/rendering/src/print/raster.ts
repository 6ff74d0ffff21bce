import { type Matrix, type PlacedArtwork } from '#contracts';
import { compose, invert, tilePoint } from '#placement';
import { type Artwork, type ArtworkSource, decodeArtwork } from './artwork.js';
import { inkEdges } from './ink-edges.js';
import { type PixelGrid, pixelGrid, type PrintArea } from './print-area.js';
import { type BandPainter, straightPainter } from './straight-painter.js';
import { turnedPainter } from './turned-painter.js';

/** Pixels of a print file, four bytes each: RGBA with straight alpha, or CMYK on white paper. */
export interface PrintRaster extends PixelGrid, PrintArea {
  /**
   * Draws the rows from top to bottom, 64 at a time, because all would occupy up to 400 MB. The
   * next band is drawn into the same buffer: a buffer for each would double the time.
   *
   * @param every draws one of so many bands only, to sample the print
   */
  bands(every?: number): Generator<Buffer>;
}

export const rowsPerBand = 64;

/** Returns the matrix from pixels of the print to millimetres of the area. */
function fromPixels({ area, bleed, mirror }: PrintArea, pitch: number): Matrix {
  return mirror ? [-pitch, 0, 0, pitch, area.width + bleed, -bleed] : [pitch, 0, 0, pitch, -bleed, -bleed];
}

/** Returns the artwork with exchanged axes. */
function transpose({ width, height, data, left, top, perX, perY }: Artwork): Artwork {
  const from = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const to = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) to[x * height + y] = from[y * width + x]!;
  return {
    width: height,
    height: width,
    data: new Uint8Array(to.buffer),
    left: top,
    top: left,
    perX: perY,
    perY: perX,
  };
}

/** Returns the placement of a transposed artwork. */
function transposed({ matrix: [a, b, c, d, e, f], period, repeat }: PlacedArtwork): PlacedArtwork {
  return { matrix: [c, d, a, b, e, f], period: { x: period.y, y: period.x }, repeat };
}

function painterOf(artwork: Artwork, placed: PlacedArtwork, print: PrintArea, grid: PixelGrid): BandPainter {
  const toArtwork = compose(fromPixels(print, grid.pitch), invert(placed.matrix));
  const [a, b, c, d, e, f] = toArtwork;
  // The columns of a half-drop repeat are shifted, so that its rows depend on X
  if (placed.repeat !== 'half-drop' && a === 0 && d === 0)
    return painterOf(transpose(artwork), transposed(placed), print, grid);
  const edges = inkEdges(placed, print.area, grid.pitch);
  if (placed.repeat === 'half-drop' || b !== 0 || c !== 0)
    return turnedPainter(artwork, placed, toArtwork, edges, grid.width);
  return straightPainter(
    artwork,
    { count: grid.width, edges: edges.x, at: (pixel) => tilePoint(placed, { x: a * (pixel + 0.5) + e, y: 0 }).x },
    { count: grid.height, edges: edges.y, at: (pixel) => tilePoint(placed, { x: 0, y: d * (pixel + 0.5) + f }).y },
  );
}

/**
 * Returns the pixels of an artwork in a print area, at the place of the product image: each pixel
 * is interpolated at the place to which the matrix maps it. Ink ends at the artwork. An edge that
 * does not cross the area is repeated in the bleed.
 *
 * @param cmykProfile path of the ICC profile for CMYK
 */
export async function rasterize(
  source: ArtworkSource,
  placed: PlacedArtwork,
  print: PrintArea,
  cmykProfile: string,
): Promise<PrintRaster> {
  const grid = pixelGrid(print);
  const artwork = await decodeArtwork(source, placed, print, cmykProfile);
  const paint = painterOf(artwork, placed, print, grid);
  const rowBytes = 4 * grid.width;
  return {
    ...grid,
    ...print,
    *bands(every = 1) {
      const buffer = Buffer.alloc(rowsPerBand * rowBytes);
      for (let top = 0; top < grid.height; top += every * rowsPerBand) {
        const band = buffer.subarray(0, Math.min(rowsPerBand, grid.height - top) * rowBytes);
        paint(top, band);
        if (print.colorSpace === 'rgb') straighten(band);
        yield band;
      }
    },
  };
}

/** Divides RGBA bytes by their alpha, in place. */
function straighten(data: Buffer): void {
  for (let i = 3; i < data.length; i += 4) {
    const alpha = data[i]!;
    if (alpha === 255 || alpha === 0) continue;
    for (let c = i - 3; c < i; c++) data[c] = Math.min(255, (data[c]! * 255 + (alpha >> 1)) / alpha);
  }
}
