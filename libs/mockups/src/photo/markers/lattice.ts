import { type Point } from '../../bundle/geometry.js';

/** A marker with its column and row, from any origin. */
interface Node extends Point {
  readonly column: number;
  readonly row: number;
  /** Steps to the markers in the next column and row. */
  readonly right: Point;
  readonly down: Point;
}

type Lattice = ReadonlyMap<string, Node>;

const maxMarkers = 3_000;
/** Markers from which a lattice is grown, until one has the expected size. */
const maxSeeds = 12;
/** Distance to the expected position, in steps. On curved surfaces the step changes. */
const tolerance = 0.4;

const minus = (a: Point, b: Point): Point => ({ x: a.x - b.x, y: a.y - b.y });
const plus = (a: Point, b: Point): Point => ({ x: a.x + b.x, y: a.y + b.y });
const negative = ({ x, y }: Point): Point => ({ x: -x, y: -y });
const lengthOf = ({ x, y }: Point): number => Math.hypot(x, y);
const cross = (a: Point, b: Point): number => a.x * b.y - a.y * b.x;

function nearest(points: Iterable<Point>, to: Point, within: number): Point | undefined {
  let [found, distance]: [Point | undefined, number] = [undefined, within];
  for (const point of points) {
    const d = Math.hypot(point.x - to.x, point.y - to.y);
    if (d < distance) [found, distance] = [point, d];
  }
  return found;
}

/**
 * Orders markers that were found in any order. A lattice grows from marker to marker, and its step
 * adapts, so that perspective and curvature do not confuse it. Points beside it are ignored.
 *
 * @returns the markers row by row, upper left first, or why they are not a whole grid
 */
export function orderMarkers(points: readonly Point[], columns: number, rows: number): readonly Point[] | string {
  if (points.length > maxMarkers) return `more than ${maxMarkers} markers were found: crop the photo to the item`;
  let best: Lattice = new Map();
  for (const seed of seedsOf(points)) {
    for (const start of startsAt(points, seed)) {
      const lattice = grow(points, start);
      const ordered = arranged(lattice, columns, rows);
      if (ordered) return ordered;
      if (lattice.size > best.size) best = lattice;
    }
  }
  return reasonOf(best, points.length, columns, rows);
}

function reasonOf(lattice: Lattice, found: number, columns: number, rows: number): string {
  const expected = `not the ${columns} x ${rows} = ${columns * rows} of the description`;
  if (lattice.size < 4) return `no grid of markers was found among ${found} points, ${expected}`;
  const { width, height } = extentOf(lattice);
  return `a grid of ${lattice.size} markers was found, in ${width} columns and ${height} rows, ${expected}`;
}

/** Returns markers from the middle outwards: a grid is most regular there. */
function seedsOf(points: readonly Point[]): Point[] {
  const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
  const middle = { x: median(points.map(({ x }) => x)), y: median(points.map(({ y }) => y)) };
  return points.toSorted((a, b) => lengthOf(minus(a, middle)) - lengthOf(minus(b, middle))).slice(0, maxSeeds);
}

/** Returns the nodes that a marker may be: pairs of steps with markers on both sides. */
function startsAt(points: readonly Point[], seed: Point): Node[] {
  const steps = points
    .filter((point) => point !== seed)
    .map((point) => minus(point, seed))
    .sort((a, b) => lengthOf(a) - lengthOf(b))
    .slice(0, 16)
    .filter((step) => nearest(points, minus(seed, step), 0.3 * lengthOf(step)));
  const first = steps[0];
  if (!first) return [];
  return steps
    .filter((step) => Math.abs(cross(first, step)) > 0.4 * lengthOf(first) * lengthOf(step))
    .slice(0, 3)
    .map((step) => ({
      ...seed,
      column: 0,
      row: 0,
      right: first,
      down: cross(first, step) > 0 ? step : negative(step),
    }));
}

function grow(points: readonly Point[], start: Node): Lattice {
  const key = (column: number, row: number): string => `${column}/${row}`;
  const nodes = new Map([[key(0, 0), start]]);
  const free = new Set(points.filter(({ x, y }) => x !== start.x || y !== start.y));
  const queue = [start];
  for (let node = queue.shift(); node; node = queue.shift()) {
    for (const [columns, rows] of [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ] as const) {
      const [column, row] = [node.column + columns, node.row + rows];
      if (nodes.has(key(column, row))) continue;
      const along = columns === 0 ? node.down : node.right;
      const isForward = columns + rows > 0;
      const expected = plus(node, isForward ? along : negative(along));
      const found = nearest(free, expected, tolerance * lengthOf(along));
      if (!found) continue;
      free.delete(found);
      const step = isForward ? minus(found, node) : minus(node, found);
      const steps = columns === 0 ? { right: node.right, down: step } : { right: step, down: node.down };
      const next = { x: found.x, y: found.y, column, row, ...steps };
      nodes.set(key(column, row), next);
      queue.push(next);
    }
  }
  return nodes;
}

function extentOf(lattice: Lattice) {
  const all = [...lattice.values()];
  const [columns, rows] = [all.map(({ column }) => column), all.map(({ row }) => row)];
  const [left, top] = [Math.min(...columns), Math.min(...rows)];
  return { left, top, width: Math.max(...columns) - left + 1, height: Math.max(...rows) - top + 1 };
}

/** Returns a complete lattice row by row, turned so that its rows run to the right in the photo. */
function arranged(lattice: Lattice, columns: number, rows: number): Point[] | undefined {
  const { left, top, width, height } = extentOf(lattice);
  if (lattice.size !== columns * rows || width * height !== lattice.size) return undefined;
  const at = (column: number, row: number): Point => {
    const { x, y } = lattice.get(`${left + column}/${top + row}`)!;
    return { x, y };
  };
  // Quarter turns keep the orientation of a lattice: a mirrored grid is never valid
  const turns = [
    { wide: width, high: height, at },
    { wide: height, high: width, at: (column: number, row: number) => at(row, height - 1 - column) },
    { wide: width, high: height, at: (column: number, row: number) => at(width - 1 - column, height - 1 - row) },
    { wide: height, high: width, at: (column: number, row: number) => at(width - 1 - row, column) },
  ].filter(({ wide, high }) => wide === columns && high === rows);
  const upright = turns.sort(
    (a, b) => b.at(columns - 1, 0).x - b.at(0, 0).x - (a.at(columns - 1, 0).x - a.at(0, 0).x),
  )[0];
  if (!upright) return undefined;
  return Array.from({ length: columns * rows }, (_, i) => upright.at(i % columns, Math.floor(i / columns)));
}
