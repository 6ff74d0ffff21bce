import { type PlacedArtwork, type ResizeMode } from '#contracts';
import { compose, crossingSides, invert, scaling, type Size } from '#placement';
import { limitInk, place, type Adjustment, type Placement, type PrintShape } from './placement.js';
import { type Plan } from './plan.js';

/**
 * Artwork that is rotated or repeated. `matrix` maps the artwork, whose edges are 0 and 1, to the
 * print area, whose edges are 0 and 1 too.
 */
type Pattern = PlacedArtwork;

/** Placement of a print on a plan. Rotated and repeated artwork has a pattern. */
export type PlacedPrint = Placement | { readonly pattern: Pattern };

/** How a print is placed: by its stored matrix, or without one by the mode. */
interface Wanted {
  readonly mode: ResizeMode;
  readonly placed: PlacedArtwork | null;
  readonly adjustment: Adjustment;
}

const unitArea = { width: 1, height: 1 };

/** @param area size of the print area in millimetres */
export function placePrint(
  shape: PrintShape,
  area: { readonly width: number; readonly height: number },
  { mode, placed, adjustment }: Wanted,
): PlacedPrint {
  if (placed === null) return place(shape, mode, adjustment);
  const { scale, x, y } = adjustment;
  // Around the centre of the area, then shifted
  const adjust = [scale, 0, 0, scale, 0.5 + x - scale / 2, 0.5 + y - scale / 2] as const;
  const matrix = compose(compose(placed.matrix, scaling(1 / area.width, 1 / area.height)), [...adjust]);
  const [a, b, c, d, e, f] = matrix;
  const isUpright = placed.repeat === 'none' && b === 0 && c === 0 && a > 0 && d > 0;
  if (!isUpright) return { pattern: { ...placed, matrix } };
  return limitInk({ left: e, top: f, right: e + a, bottom: f + d }, shape.cover);
}

/** Returns the pixels of the artwork's width and height on a plan. */
export function printedSize(print: PlacedPrint, { printWidth, printHeight }: Plan): Size {
  if ('pattern' in print) {
    const [a, b, c, d] = print.pattern.matrix;
    return {
      width: Math.hypot(a * printWidth, b * printHeight),
      height: Math.hypot(c * printWidth, d * printHeight),
    };
  }
  const { left, top, right, bottom } = print.artwork;
  return { width: (right - left) * printWidth, height: (bottom - top) * printHeight };
}

/** Finds the point of the artwork at a point of the print area. */
interface Locator {
  /** Coordinates of the artwork, 0 to 1 along both axes. Valid until the next call. */
  readonly at: Float64Array;
  /** Sets `at`. Returns the coverage: 0 outside of the ink, 1 inside, between them at an edge. */
  locate(u: number, v: number): number;
}

/** Returns the coverage of an edge at a distance in pixels, antialiased over one pixel. */
const covered = (distance: number): number => (distance <= -0.5 ? 0 : distance >= 0.5 ? 1 : distance + 0.5);

/** Limits of the ink in coordinates of the artwork or the area; infinite without a limit. */
interface Span {
  readonly from: number;
  readonly to: number;
  /** Pixels per unit. */
  readonly pixels: number;
}

const coverage = ({ from, to, pixels }: Span, position: number): number =>
  covered((position - from) * pixels) * covered((to - position) * pixels);

/**
 * Returns the locator of a pattern on a plan. On an all-over item the edge of unrepeated artwork
 * is repeated beyond the area, as in `warp`.
 *
 * `locate` runs for every pixel: it allocates nothing, and computes coverage only near an edge.
 * With an object for each point an image takes twice as long.
 */
export function locatorOf(plan: Plan, pattern: Pattern): Locator {
  const { printWidth, printHeight, layer } = plan;
  const at = new Float64Array(2);
  const [a, b, c, d, e, f] = invert(pattern.matrix);
  const size = printedSize({ pattern }, plan);
  const { repeat, period } = pattern;
  const isRepeated = repeat !== 'none';
  const isHalfDrop = repeat === 'half-drop';
  const isMirror = repeat === 'mirror';
  const [periodX, periodY] = [period.x, period.y];
  const [perX, perY] = [1 / periodX, 1 / periodY];
  // Half of the space beside a repeat belongs to it, so that its edge has its colors
  const [besideX, besideY] = [(periodX - 1) / 2, (periodY - 1) / 2];
  const areaU = { from: layer.cover ? -Infinity : 0, to: layer.cover ? Infinity : 1, pixels: printWidth };
  const areaV = { ...areaU, pixels: printHeight };
  const artwork = artworkSpans(pattern, size);
  const [insideU, insideV, insideX, insideY] = [areaU, areaV, artwork.x, artwork.y].map(narrowed) as [
    Span,
    Span,
    Span,
    Span,
  ];
  const [fromU, toU, fromV, toV] = [insideU.from, insideU.to, insideV.from, insideV.to];
  const [fromX, toX, fromY, toY] = [insideX.from, insideX.to, insideY.from, insideY.to];
  return {
    at,
    locate(u, v) {
      const s = isRepeated ? u : u < 0 ? 0 : u > 1 ? 1 : u;
      const t = isRepeated ? v : v < 0 ? 0 : v > 1 ? 1 : v;
      let x = a * s + c * t + e;
      let y = b * s + d * t + f;
      if (isRepeated) {
        const column = Math.floor((x + besideX) * perX);
        if (isHalfDrop && (column & 1) !== 0) y += 0.5 * periodY;
        const row = Math.floor((y + besideY) * perY);
        x -= column * periodX;
        y -= row * periodY;
        if (isMirror) {
          if ((column & 1) !== 0) x = 1 - x;
          if ((row & 1) !== 0) y = 1 - y;
        }
      }
      at[0] = x;
      at[1] = y;
      if (u >= fromU && u <= toU && v >= fromV && v <= toV && x >= fromX && x <= toX && y >= fromY && y <= toY)
        return 1;
      return coverage(areaU, u) * coverage(areaV, v) * coverage(artwork.x, x) * coverage(artwork.y, y);
    },
  };
}

/** Returns the part of a span that is at least half a pixel from its ends. */
const narrowed = ({ from, to, pixels }: Span): Span => ({ from: from + 0.5 / pixels, to: to - 0.5 / pixels, pixels });

/**
 * Returns the limits of the ink along the axes of the artwork. A side that does not cross the area
 * is no limit, nor is a side that touches the next repeat.
 */
function artworkSpans({ matrix, repeat, period }: Pattern, { width, height }: Size): { x: Span; y: Span } {
  const [left, right, top, bottom] =
    repeat === 'none' ? crossingSides({ matrix }, unitArea) : [period.x > 1, period.x > 1, period.y > 1, period.y > 1];
  return {
    x: { from: left ? 0 : -Infinity, to: right ? 1 : Infinity, pixels: width },
    y: { from: top ? 0 : -Infinity, to: bottom ? 1 : Infinity, pixels: height },
  };
}
