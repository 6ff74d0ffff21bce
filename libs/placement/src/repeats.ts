import { type Matrix, type PlacedArtwork } from '#contracts';
import { type Size } from './fit.js';
import { apply, compose, invert } from './matrix.js';

interface Range {
  readonly from: number;
  readonly to: number;
}

const rangeOf = (values: readonly number[]): Range => ({ from: Math.min(...values), to: Math.max(...values) });
const overlap = (one: Range, other: Range): boolean => one.from < other.to && other.from < one.to;

/** Returns the matrices of the repeats of an artwork that reach into an area and its bleed. */
export function repeatsIn({ matrix, repeat, period }: PlacedArtwork, area: Size, bleed: number): Matrix[] {
  if (repeat === 'none') return [matrix];
  const [left, right] = [-bleed, area.width + bleed];
  const [top, bottom] = [-bleed, area.height + bleed];
  const inverse = invert(matrix);
  const corners = [left, right].flatMap((x) => [top, bottom].map((y) => apply(inverse, { x, y })));
  const columns = rangeOf(corners.map(({ x }) => x / period.x));
  const rows = rangeOf(corners.map(({ y }) => y / period.y));
  const repeats: Matrix[] = [];
  for (let column = Math.floor(columns.from); column <= columns.to; column++) {
    const drop = repeat === 'half-drop' && column % 2 !== 0 ? 0.5 : 0;
    for (let row = Math.floor(rows.from + drop); row <= rows.to + drop; row++) {
      const isMirrored = { x: repeat === 'mirror' && column % 2 !== 0, y: repeat === 'mirror' && row % 2 !== 0 };
      const tile: Matrix = [
        ...([isMirrored.x ? -1 : 1, 0, 0, isMirrored.y ? -1 : 1] as const),
        column * period.x + Number(isMirrored.x),
        (row - drop) * period.y + Number(isMirrored.y),
      ];
      const placed = compose(tile, matrix);
      const points = [0, 1].flatMap((x) => [0, 1].map((y) => apply(placed, { x, y })));
      const isVisible =
        overlap(rangeOf(points.map(({ x }) => x)), { from: left, to: right }) &&
        overlap(rangeOf(points.map(({ y }) => y)), { from: top, to: bottom });
      if (isVisible) repeats.push(placed);
    }
  }
  return repeats;
}
