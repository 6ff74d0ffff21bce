import { type PlacedArtwork } from '#contracts';
import { type Size } from './fit.js';
import { invert, type Point } from './matrix.js';
import { repeatsIn } from './repeats.js';

/** Half of a plane: the points with x * `x` + y * `y` + `offset` >= 0. */
interface HalfPlane extends Point {
  readonly offset: number;
}

const distance = ({ x, y, offset }: HalfPlane, point: Point): number => x * point.x + y * point.y + offset;

const cornersOf = ({ width, height }: Size): Point[] => [
  { x: 0, y: 0 },
  { x: width, y: 0 },
  { x: width, y: height },
  { x: 0, y: height },
];

/**
 * Returns the four sides of an artwork as half planes of the print area, in the order left, right,
 * top, bottom. Distances are in widths and heights of the artwork.
 */
function artworkSides({ matrix }: Pick<PlacedArtwork, 'matrix'>): HalfPlane[] {
  const [a, b, c, d, e, f] = invert(matrix);
  return [
    { x: a, y: c, offset: e },
    { x: -a, y: -c, offset: 1 - e },
    { x: b, y: d, offset: f },
    { x: -b, y: -d, offset: 1 - f },
  ];
}

/**
 * Returns whether each side of an artwork crosses the print area, in the order left, right, top,
 * bottom. A side along the edge of the area does not cross it.
 */
export const crossingSides = (placed: Pick<PlacedArtwork, 'matrix'>, area: Size): boolean[] =>
  artworkSides(placed).map((side) => cornersOf(area).some((corner) => distance(side, corner) < -1e-6));

/** Returns the part of a convex polygon that is inside a half plane. */
function clip(polygon: readonly Point[], side: HalfPlane): Point[] {
  return polygon.flatMap((point, index) => {
    const next = polygon[(index + 1) % polygon.length]!;
    const [here, there] = [distance(side, point), distance(side, next)];
    const inside = here >= 0 ? [point] : [];
    if (here >= 0 === there >= 0) return inside;
    const part = here / (here - there);
    return [...inside, { x: point.x + part * (next.x - point.x), y: point.y + part * (next.y - point.y) }];
  });
}

/** Returns the area of a polygon (shoelace formula). */
const areaOf = (polygon: readonly Point[]): number =>
  Math.abs(
    polygon.reduce((sum, { x, y }, index) => {
      const next = polygon[(index + 1) % polygon.length]!;
      return sum + x * next.y - next.x * y;
    }, 0),
  ) / 2;

/** Returns the part of the print area under one repeat of an artwork, in square millimetres. */
export const inkArea = (placed: Pick<PlacedArtwork, 'matrix'>, area: Size): number =>
  areaOf(artworkSides(placed).reduce(clip, cornersOf(area)));

/** Returns whether a part of the artwork or of one of its repeats is inside the print area. */
export const isInArea = (placed: PlacedArtwork, area: Size): boolean =>
  repeatsIn(placed, area, 0).some((matrix) => inkArea({ matrix }, area) > 0);
