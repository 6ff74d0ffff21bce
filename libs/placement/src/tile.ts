import { type PlacedArtwork } from '#contracts';
import { type Point } from './matrix.js';

/**
 * Part of a cell, 0 to 1, at a position in cells along one axis. A cell is a repeat with half of
 * the space on both sides, so that both edges of a repeat have its colors. With `isMirror` every
 * second cell is mirrored.
 */
export function cellPart(position: number, isMirror: boolean): number {
  const index = Math.floor(position);
  const part = position - index;
  return isMirror && (index & 1) !== 0 ? 1 - part : part;
}

/** Returns how far the cells of a column of a half-drop repeat are shifted. @param x in cells */
export const cellDrop = (x: number): number => (Math.floor(x) & 1) / 2;

/** Returns the space beside a repeat that belongs to its cell. */
export const spaceBeside = (period: number): number => (period - 1) / 2;

/**
 * Returns the point of the artwork that a repeat shows at a point (X, Y) of the pattern, whose
 * first repeat has the edges 0 and 1. Other coordinates than 0 to 1 are in the space between
 * repeats, beside the nearer one.
 */
export function tilePoint({ repeat, period }: Pick<PlacedArtwork, 'repeat' | 'period'>, point: Point): Point {
  if (repeat === 'none') return point;
  const beside = { x: spaceBeside(period.x), y: spaceBeside(period.y) };
  const x = (point.x + beside.x) / period.x;
  const y = (point.y + beside.y) / period.y + (repeat === 'half-drop' ? cellDrop(x) : 0);
  const isMirror = repeat === 'mirror';
  return {
    x: cellPart(x, isMirror) * period.x - beside.x,
    y: cellPart(y, isMirror) * period.y - beside.y,
  };
}
