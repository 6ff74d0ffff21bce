import { CoverageMap, type Segment } from './text-curves.js';

const rowsOf = (segments: Segment[], width: number, height: number): number[][] =>
  Array.from(new CoverageMap(width, height, segments).rows(), (row) =>
    Array.from(row, (it) => Math.round(1e4 * it) / 1e4),
  );

const rectangle = (left: number, top: number, right: number, bottom: number): Segment[] => [
  { type: 'move', points: [left, top] },
  { type: 'line', points: [right, top] },
  { type: 'line', points: [right, bottom] },
  { type: 'line', points: [left, bottom] },
  { type: 'close', points: [] },
];

it('covers parts of the pixels at edges', () => {
  expect(rowsOf(rectangle(0.5, 0.75, 2.25, 2), 3, 3)).toEqual([
    [0.125, 0.25, 0.0625],
    [0.5, 1, 0.25],
    [0, 0, 0],
  ]);
});

it('covers overlapping letters once, and not a hole of the other direction', () => {
  expect(rowsOf([...rectangle(0, 0, 3, 1), ...rectangle(1, 0, 4, 1)], 4, 1)).toEqual([[1, 1, 1, 1]]);
  expect(rowsOf([...rectangle(0, 0, 4, 1), ...rectangle(3, 0, 1, 1)], 4, 1)).toEqual([[1, 0, 0, 1]]);
});

it('omits the part of a letter beyond the image', () => {
  expect(rowsOf(rectangle(-2, -1, 9, 1), 3, 2)).toEqual([
    [1, 1, 1],
    [0, 0, 0],
  ]);
});

it('covers the area below a curve', () => {
  const [side, round] = [100, 100 * 0.552_285];
  const circle: Segment[] = [
    { type: 'move', points: [0, 0] },
    { type: 'line', points: [side, 0] },
    { type: 'cubic', points: [side, round, round, side, 0, side] },
    { type: 'close', points: [] },
  ];
  const area = rowsOf(circle, 110, 110)
    .flat()
    .reduce((sum, it) => sum + it, 0);
  expect(Math.abs(area - (Math.PI / 4) * side ** 2)).toBeLessThan(30);
});
