import { gridStep as step } from '../bundle/master.js';
import { PsdMistake } from './psd-mistake.js';
import { type Point, type Surface } from './surface.js';

/** Steps beyond the print area, for the interpolation up to its edge. */
const marginSteps = 3;
/** Cells of the surface along each axis in which the place of a node is searched. */
const cells = 48;

/** Print coordinates at nodes whose positions are multiples of `step`; NaN without a print. */
export interface UvGrid {
  readonly x0: number;
  readonly y0: number;
  readonly step: number;
  readonly cols: number;
  readonly rows: number;
  /** u and v of each node, row by row. */
  readonly uv: Float64Array;
}

interface Cell {
  readonly u: number;
  readonly v: number;
  readonly du: number;
  readonly dv: number;
  readonly corners: readonly Point[];
}

/**
 * Returns the inverse of a surface on a grid.
 *
 * @param surface in pixels of the master, `edge` x `edge`
 * @param name of the smart object, for messages
 * @throws PsdMistake when the surface folds, is mirrored, or is outside of the master
 */
export function invertSurface(surface: Surface, edge: number, name: string): UvGrid {
  const inner = cellsOf(surface, { u: 0, v: 0 });
  checkFolds(inner, name);
  const corners = inner.flatMap((cell) => cell.corners);
  const margin = marginSteps * step;
  const bounds = boxOf(corners);
  // Nodes beyond the image are never read
  const first = (position: number): number => step * Math.max(-1, Math.floor((position - margin) / step));
  const [x0, y0] = [first(bounds.left), first(bounds.top)];
  const cols = 1 + Math.ceil((Math.min(bounds.right, edge) + margin - x0) / step);
  const rows = 1 + Math.ceil((Math.min(bounds.bottom, edge) + margin - y0) / step);
  if (cols < 2 * marginSteps + 2 || rows < 2 * marginSteps + 2)
    throw new PsdMistake(`shows less than ${step} pixels of 1200 of smart object ${name}`);
  const grid: UvGrid = { x0, y0, step, cols, rows, uv: new Float64Array(2 * cols * rows).fill(Number.NaN) };
  const beyond = marginsOf(surface, margin);
  // The inner cells last: a margin may cross the print where it bends
  for (const cell of [...cellsOf(surface, beyond), ...inner]) fill(grid, surface, cell);
  if (!grid.uv.some((value) => value >= 0 && value <= 1)) throw new PsdMistake(`shows nothing of smart object ${name}`);
  return grid;
}

/** Returns the cells of the surface from -beyond to 1 + beyond, without those behind the camera. */
function cellsOf(surface: Surface, beyond: { readonly u: number; readonly v: number }): Cell[] {
  const [du, dv] = [(1 + 2 * beyond.u) / cells, (1 + 2 * beyond.v) / cells];
  const nodes = Array.from({ length: (cells + 1) ** 2 }, (_, index) =>
    surface((index % (cells + 1)) * du - beyond.u, Math.floor(index / (cells + 1)) * dv - beyond.v),
  );
  const found: Cell[] = [];
  for (let j = 0; j < cells; j++)
    for (let i = 0; i < cells; i++) {
      const at = j * (cells + 1) + i;
      const corners = [nodes[at], nodes[at + 1], nodes[at + cells + 2], nodes[at + cells + 1]];
      if (corners.every((it) => it !== undefined))
        found.push({ u: i * du - beyond.u, v: j * dv - beyond.v, du, dv, corners });
    }
  return found;
}

function boxOf(points: readonly Point[]) {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  return { left, right, top, bottom };
}

/** Area of the triangle at a corner of a cell, negative where the print is mirrored. */
function turn(corners: readonly Point[], index: number): number {
  const [a, b, c] = [corners[(index + 3) % 4]!, corners[index]!, corners[(index + 1) % 4]!];
  return (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
}

function checkFolds(inner: readonly Cell[], name: string): void {
  if (inner.length < cells * cells)
    throw new PsdMistake(`has a perspective in smart object ${name} that reaches behind the camera`);
  const isFlipped = ({ corners }: Cell): boolean => [0, 1, 2, 3].some((index) => turn(corners, index) <= 0);
  const flipped = inner.filter(isFlipped);
  if (flipped.length === 0) return;
  if (flipped.length === inner.length) throw new PsdMistake(`mirrors smart object ${name}: flip it back`);
  const percent = (part: number): number => Math.round(100 * part);
  const { u, v } = flipped[0]!;
  throw new PsdMistake(`folds smart object ${name} at ${percent(u)} % from its left and ${percent(v)} % from its top`);
}

/** Returns how far u and v go beyond 0..1 for a distance in pixels. */
function marginsOf(surface: Surface, margin: number): { u: number; v: number } {
  const length = (from: Point | undefined, to: Point | undefined): number =>
    from && to ? Math.hypot(to.x - from.x, to.y - from.y) : Infinity;
  const near = 0.02;
  let [u, v] = [Infinity, Infinity];
  for (let part = 0; part <= 1; part += 0.125) {
    u = Math.min(u, length(surface(0, part), surface(near, part)), length(surface(1 - near, part), surface(1, part)));
    v = Math.min(v, length(surface(part, 0), surface(part, near)), length(surface(part, 1 - near), surface(part, 1)));
  }
  // The format has coordinates from -2 to 2
  const limited = (distance: number): number => Math.min(0.9, (margin * near) / Math.max(distance, 1e-6));
  return { u: limited(u), v: limited(v) };
}

/** Sets the nodes of the grid that are within a cell. */
function fill(grid: UvGrid, surface: Surface, cell: Cell): void {
  const { left, right, top, bottom } = boxOf(cell.corners);
  const first = (value: number, origin: number): number => Math.max(0, Math.ceil((value - origin) / step));
  for (let row = first(top, grid.y0); row < grid.rows && grid.y0 + row * step <= bottom; row++)
    for (let column = first(left, grid.x0); column < grid.cols && grid.x0 + column * step <= right; column++) {
      const found = solve(surface, cell, grid.x0 + column * step, grid.y0 + row * step);
      if (found) grid.uv.set(found, 2 * (row * grid.cols + column));
    }
}

/** Returns the place in a cell that is shown at a point, by Newton's method. */
function solve(
  surface: Surface,
  { u: left, v: top, du, dv }: Cell,
  x: number,
  y: number,
): [number, number] | undefined {
  let [u, v] = [left + du / 2, top + dv / 2];
  const small = 1e-5;
  for (let round = 0; round < 12; round++) {
    const [at, right, below] = [surface(u, v), surface(u + small, v), surface(u, v + small)];
    if (!at || !right || !below) return undefined;
    const [xu, yu] = [(right.x - at.x) / small, (right.y - at.y) / small];
    const [xv, yv] = [(below.x - at.x) / small, (below.y - at.y) / small];
    const determinant = xu * yv - xv * yu;
    if (Math.abs(determinant) < 1e-9) return undefined;
    const [ex, ey] = [x - at.x, y - at.y];
    if (Math.hypot(ex, ey) < 1e-4) break;
    // Half a cell more than its size: a step from its centre does not leave the neighbours
    u += clamp((ex * yv - xv * ey) / determinant, 2 * du);
    v += clamp((xu * ey - ex * yu) / determinant, 2 * dv);
  }
  const tolerance = 0.02;
  const isInside =
    Math.abs(u - left - du / 2) <= du * (0.5 + tolerance) && Math.abs(v - top - dv / 2) <= dv * (0.5 + tolerance);
  return isInside ? [u, v] : undefined;
}

const clamp = (value: number, limit: number): number => Math.min(limit, Math.max(-limit, value));
