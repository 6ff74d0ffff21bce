import { type PlacedArtwork } from '#contracts';
import { type Point } from './matrix.js';

/**
 * Returns the point of the artwork that a repeat shows at a point (X, Y) of the pattern, whose
 * first repeat has the edges 0 and 1. A coordinate above 1 is in the space between repeats.
 */
export function tilePoint({ repeat, period }: Pick<PlacedArtwork, 'repeat' | 'period'>, { x, y }: Point): Point {
  if (repeat === 'none') return { x, y };
  const column = Math.floor(x / period.x);
  const shifted = repeat === 'half-drop' && column % 2 !== 0 ? y + period.y / 2 : y;
  const row = Math.floor(shifted / period.y);
  const tileX = x - column * period.x;
  const tileY = shifted - row * period.y;
  if (repeat !== 'mirror') return { x: tileX, y: tileY };
  return { x: mirrored(tileX, column), y: mirrored(tileY, row) };
}

/** Mirrors every second tile. The space behind a tile stays behind it. */
const mirrored = (position: number, index: number): number =>
  index % 2 !== 0 && position <= 1 ? 1 - position : position;
