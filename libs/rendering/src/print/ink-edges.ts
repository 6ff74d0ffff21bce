import { type PlacedArtwork } from '#contracts';
import { crossingSides, type Size } from '#placement';

/**
 * Edges of the ink along one axis of the artwork, antialiased over one pixel of the print.
 */
export interface InkEdges {
  /** Whether the edges 0 and 1 limit the ink. Others are repeated up to the end of the bleed. */
  readonly start: boolean;
  readonly end: boolean;
  /** Pixels of the print per width (height) of the artwork. */
  readonly pixels: number;
}

/** Returns the edges of the ink along X and Y. */
export function inkEdges(placed: PlacedArtwork, area: Size, pitch: number): { x: InkEdges; y: InkEdges } {
  const [a, b, c, d] = placed.matrix;
  const pixels = { x: Math.hypot(a, b) / pitch, y: Math.hypot(c, d) / pitch };
  if (placed.repeat !== 'none') {
    const { x, y } = placed.period;
    // Without a space between repeats there are no edges
    return {
      x: { start: x > 1, end: x > 1, pixels: pixels.x },
      y: { start: y > 1, end: y > 1, pixels: pixels.y },
    };
  }
  const [left, right, top, bottom] = crossingSides(placed, area);
  return {
    x: { start: left!, end: right!, pixels: pixels.x },
    y: { start: top!, end: bottom!, pixels: pixels.y },
  };
}

/** Returns the part of a pixel that ink covers: 0 outside, 1 inside. */
export function coverageAt({ start, end, pixels }: InkEdges, position: number): number {
  const inside = Math.min(start ? position : Infinity, end ? 1 - position : Infinity);
  const coverage = inside * pixels + 0.5;
  return coverage <= 0 ? 0 : coverage >= 1 ? 1 : coverage;
}

/** Returns the position in the artwork whose color is shown: its edges are repeated. */
export const insideOf = (position: number): number => (position < 0 ? 0 : position > 1 ? 1 : position);
