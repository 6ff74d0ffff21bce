import { homography, type Point } from '../../bundle/geometry.js';
import { findCorners } from './chessboard.js';
import { findDots } from './dots.js';
import { orderMarkers } from './lattice.js';

const side = 640;
const [columns, rows] = [9, 7];
const { forward, inverse } = homography([
  { x: 130, y: 110 },
  { x: 520, y: 170 },
  { x: 480, y: 540 },
  { x: 90, y: 440 },
]);

/** Markers of the grid, row by row: the outer ones lie on the edges of the area. */
const expected = Array.from({ length: columns * rows }, (_, i) =>
  forward((i % columns) / (columns - 1), Math.floor(i / columns) / (rows - 1)),
);

/** Draws a pattern in perspective, with 16 samples per pixel, uneven light and noise. */
function photoOf(isDark: (column: number, row: number) => boolean): Uint8Array {
  let seed = 1;
  const noise = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  return Uint8Array.from({ length: side * side }, (_, i) => {
    const [x, y] = [i % side, Math.floor(i / side)];
    let dark = 0;
    for (let k = 0; k < 16; k++) {
      const at = inverse(x + ((k % 4) + 0.5) / 4, y + (Math.floor(k / 4) + 0.5) / 4);
      if (at && isDark(at.u * (columns - 1), at.v * (rows - 1))) dark++;
    }
    return (235 - 12 * dark) * (0.6 + (0.4 * x) / side) + 6 * noise();
  });
}

const chessboard = (column: number, row: number): boolean =>
  column > -1 && column < columns && row > -1 && row < rows && (Math.floor(column) + Math.floor(row)) % 2 === 0;
const dotted = (column: number, row: number): boolean => {
  const [nearColumn, nearRow] = [Math.round(column), Math.round(row)];
  const isMarker = nearColumn >= 0 && nearColumn < columns && nearRow >= 0 && nearRow < rows;
  return isMarker && Math.hypot(column - nearColumn, row - nearRow) < 0.22;
};

function worstDistance(found: readonly Point[] | string): number {
  if (typeof found === 'string') throw new Error(found);
  return Math.max(...found.map(({ x, y }, i) => Math.hypot(x - expected[i]!.x, y - expected[i]!.y)));
}

describe('markers', () => {
  it('of a chessboard are found within a tenth of a pixel, in order', () => {
    expect(worstDistance(orderMarkers(findCorners(photoOf(chessboard), side), columns, rows))).toBeLessThan(0.1);
  });

  it('of a grid of dots are found within a fifth of a pixel, in order', () => {
    expect(worstDistance(orderMarkers(findDots(photoOf(dotted), side), columns, rows))).toBeLessThan(0.2);
  });

  it('are ordered on a curved surface, among other points and in any order', () => {
    const curved = expected.map(({ x, y }) => ({
      x: 320 + 220 * Math.sin((x - 320) / 220),
      y: y + ((x - 320) / 30) ** 2,
    }));
    const others = [
      { x: 30, y: 40 },
      { x: 620, y: 610 },
      { x: 625, y: 350 },
    ];
    const shuffled = [...curved, ...others].sort((a, b) => ((a.x * 7_919) % 13) - ((b.x * 7_919) % 13));
    expect(orderMarkers(shuffled, columns, rows)).toEqual(curved);
  });

  it('that are turned by a quarter are ordered by their columns', () => {
    const turned = expected.map(({ x, y }) => ({ x: -y, y: x }));
    const found = orderMarkers(turned, columns, rows);
    expect(found).toHaveLength(columns * rows);
    expect([turned, turned.toReversed()]).toContainEqual(found);
  });

  it.each<[string, Point[], string]>([
    ['without points', [], 'no grid of markers was found among 0 points'],
    ['of a line', expected.slice(0, columns), 'no grid of markers was found among 9 points'],
    ['with a missing one', expected.toSpliced(20, 1), 'a grid of 62 markers was found, in 9 columns and 7 rows'],
    ['with a missing row', expected.slice(columns), 'a grid of 54 markers was found, in 9 columns and 6 rows'],
    ['of noise', Array.from({ length: 3_001 }, (_, i) => ({ x: i, y: i })), 'more than 3000 markers were found'],
  ])('%s are rejected with a reason', (_, points, reason) => {
    expect(orderMarkers(points, columns, rows)).toContain(reason);
  });
});
