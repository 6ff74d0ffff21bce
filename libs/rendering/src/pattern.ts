import { type Matrix, type PlacedArtwork, type ResizeMode } from '#contracts';
import { cellDrop, cellPart, compose, crossingSides, invert, scaling, type Size, spaceBeside } from '#placement';
import { clamp, type Locate } from './locate.js';
import { limitInk, place, type Adjustment, type UprightPrint, type PrintShape } from './placement.js';
import { type Plan } from './plan.js';
import { type PyramidLevel } from './texture.js';

/**
 * Artwork that is rotated or repeated. `matrix` maps the artwork, whose edges are 0 and 1, to the
 * print area, whose edges are 0 and 1 too.
 */
type Pattern = PlacedArtwork;

/** Placement of a print on a plan. Rotated and repeated artwork has a pattern. */
export type PlacedPrint = UprightPrint | { readonly pattern: Pattern };

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

/** Limits of the ink along one axis; infinite without a limit. */
interface Span {
  readonly from: number;
  readonly to: number;
  /** Pixels per unit. */
  readonly pixels: number;
}

/** Returns the coverage of an edge at a distance in pixels, antialiased over one pixel. */
const covered = (distance: number): number => (distance <= -0.5 ? 0 : distance >= 0.5 ? 1 : distance + 0.5);

const coverage = ({ from, to, pixels }: Span, position: number): number =>
  covered((position - from) * pixels) * covered((to - position) * pixels);

/** Returns a span that is larger by a number of pixels at both ends. */
const widened = ({ from, to, pixels }: Span, by: number): Span => ({
  from: from - by / pixels,
  to: to + by / pixels,
  pixels,
});

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

/**
 * Returns the locator of a pattern on a plan. On an all-over item the edge of unrepeated artwork
 * is repeated beyond the area, as in `warp`.
 *
 * The loop runs for every pixel: it allocates nothing, and computes coverage only near an edge. Its
 * constants are local, because those of the outer function are read again for every pixel: that
 * takes a quarter longer.
 */
export function patternLocator(plan: Plan, { width, height }: PyramidLevel, pattern: Pattern): Locate {
  const { printWidth, printHeight, layer, u, v } = plan;
  const { repeat, period } = pattern;
  // Of repeats in cells, see `cellPart`
  const [periodX, periodY] = repeat === 'none' ? [1, 1] : [period.x, period.y];
  const beside = { x: spaceBeside(periodX), y: spaceBeside(periodY) };
  const toCells: Matrix = [1 / periodX, 0, 0, 1 / periodY, beside.x / periodX, beside.y / periodY];
  const inverse = compose(invert(pattern.matrix), toCells);
  const areaU = { from: layer.cover ? -Infinity : 0, to: layer.cover ? Infinity : 1, pixels: printWidth };
  const areaV = { ...areaU, pixels: printHeight };
  const artwork = artworkSpans(pattern, printedSize({ pattern }, plan));
  return ({ x: xs, y: ys, coverage: coverages }, first, count) => {
    const [a, b, c, d, e, f] = inverse;
    const [isRepeated, isHalfDrop, isMirror] = [repeat !== 'none', repeat === 'half-drop', repeat === 'mirror'];
    const [cellX, cellY, besideX, besideY] = [periodX, periodY, beside.x, beside.y];
    const [perX, perY, lastX, lastY] = [256 * width, 256 * height, 256 * (width - 1), 256 * (height - 1)];
    const { x: spanX, y: spanY } = artwork;
    const { from: insideLeft, to: insideRight } = widened(spanX, -0.5);
    const { from: insideTop, to: insideBottom } = widened(spanY, -0.5);
    const { from: outsideLeft, to: outsideRight } = widened(spanX, 0.5);
    const { from: outsideTop, to: outsideBottom } = widened(spanY, 0.5);
    const { from: fromU, to: toU } = widened(areaU, -0.5);
    const { from: fromV, to: toV } = widened(areaV, -0.5);
    for (let i = 0; i < count; i++) {
      const s = u[first + i]!;
      const t = v[first + i]!;
      let x: number;
      let y: number;
      if (isRepeated) {
        const column = a * s + c * t + e;
        const row = b * s + d * t + f;
        x = cellPart(column, isMirror) * cellX - besideX;
        y = cellPart(isHalfDrop ? row + cellDrop(column) : row, isMirror) * cellY - besideY;
      } else {
        const inU = clamp(s, 0, 1);
        const inV = clamp(t, 0, 1);
        x = a * inU + c * inV + e;
        y = b * inU + d * inV + f;
      }
      xs[i] = clamp((x * perX - 128) | 0, 0, lastX);
      ys[i] = clamp((y * perY - 128) | 0, 0, lastY);
      if (x < outsideLeft || x > outsideRight || y < outsideTop || y > outsideBottom) coverages[i] = 0;
      else if (
        x >= insideLeft &&
        x <= insideRight &&
        y >= insideTop &&
        y <= insideBottom &&
        s >= fromU &&
        s <= toU &&
        t >= fromV &&
        t <= toV
      )
        coverages[i] = 1;
      else coverages[i] = coverage(areaU, s) * coverage(areaV, t) * coverage(spanX, x) * coverage(spanY, y);
    }
  };
}
