/** A point in an image, in continuous coordinates: the centre of the first pixel is 0.5, 0.5. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Position in an image of a point of the print area; u and v are 0..1 inside the area. */
type Forward = (u: number, v: number) => Point;

/** A point of the print area. */
export interface PrintPoint {
  readonly u: number;
  readonly v: number;
}

/** Point of the print area at a position in an image; null where nothing can be printed. */
export type Inverse = (x: number, y: number) => PrintPoint | null;

/** Four corners: top left, top right, bottom right, bottom left of the upright print. */
export type Corners = readonly [Point, Point, Point, Point];

/** Returns whether the corners are those of a convex quadrilateral that is not mirrored. */
export const isConvex = (corners: readonly Point[]): boolean =>
  corners.every((a, i) => {
    const [b, c] = [corners[(i + 1) % corners.length]!, corners[(i + 2) % corners.length]!];
    return (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x) > 0;
  });

/**
 * Returns the perspective view of the print area with these corners, and its exact inverse.
 *
 * @param corners of a convex quadrilateral
 */
export function homography([a, b, c, d]: Corners): { readonly forward: Forward; readonly inverse: Inverse } {
  // Heckbert, Fundamentals of Texture Mapping and Image Warping, 1989, section 2.2.3
  const [dx1, dx2, sx] = [b.x - c.x, d.x - c.x, a.x - b.x + c.x - d.x];
  const [dy1, dy2, sy] = [b.y - c.y, d.y - c.y, a.y - b.y + c.y - d.y];
  const area = dx1 * dy2 - dx2 * dy1;
  const g = (sx * dy2 - dx2 * sy) / area;
  const h = (dx1 * sy - sx * dy1) / area;
  const [ux, vx] = [b.x - a.x + g * b.x, d.x - a.x + h * d.x];
  const [uy, vy] = [b.y - a.y + g * b.y, d.y - a.y + h * d.y];
  return {
    forward: (u, v) => {
      const w = g * u + h * v + 1;
      return { x: (ux * u + vx * v + a.x) / w, y: (uy * u + vy * v + a.y) / w };
    },
    inverse: (x, y) => {
      // Two linear equations for u and v: the position times w is that of the numerators
      const [m, n, p] = [ux - g * x, vx - h * x, x - a.x];
      const [q, r, s] = [uy - g * y, vy - h * y, y - a.y];
      const determinant = m * r - n * q;
      const [u, v] = [(p * r - n * s) / determinant, (m * s - p * q) / determinant];
      // Behind the camera, or on the horizon
      return g * u + h * v + 1 > 0 && Number.isFinite(u + v) ? { u, v } : null;
    },
  };
}

/** Returns a sum of points, with the products of the weights of their column and row. */
function weighted(points: readonly Point[], columns: number, across: Weights, down: Weights): Point {
  let x = 0;
  let y = 0;
  for (let j = 0; j < down.weights.length; j++)
    for (let i = 0; i < across.weights.length; i++) {
      const point = points[(down.first + j) * columns + across.first + i]!;
      const weight = across.weights[i]! * down.weights[j]!;
      x += weight * point.x;
      y += weight * point.y;
    }
  return { x, y };
}

/** First of the points that have a weight, and the weights of this and the next ones. */
interface Weights {
  readonly first: number;
  readonly weights: readonly number[];
}

const bernstein = (t: number): Weights => {
  const s = 1 - t;
  return { first: 0, weights: [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t] };
};

/** Returns the bicubic Bezier patch with 4 x 4 control points, row by row. */
export const bezierPatch =
  (points: readonly Point[]): Forward =>
  (u, v) =>
    weighted(points, 4, bernstein(u), bernstein(v));

/** Returns the weights of at most four adjacent points of `count` for the cubic through them. */
function lagrange(t: number, count: number): Weights {
  const used = Math.min(4, count);
  const first = Math.max(0, Math.min(count - used, Math.floor(t) - 1));
  const weights: number[] = [];
  for (let i = 0; i < used; i++) {
    let weight = 1;
    for (let k = 0; k < used; k++) if (k !== i) weight *= (t - first - k) / (i - k);
    weights.push(weight);
  }
  return { first, weights };
}

/**
 * Returns the surface through a mesh of points, cubic between them: a camera sees a cylinder with
 * 9 points per half turn within a thousandth of its radius. Beyond the mesh it continues.
 *
 * @param points row by row, at equal distances on the print area
 */
export const meshPatch =
  (columns: number, rows: number, points: readonly Point[]): Forward =>
  (u, v) =>
    weighted(points, columns, lagrange(u * (columns - 1), columns), lagrange(v * (rows - 1), rows));

/** Range of print coordinates in which a surface is valid. */
interface Domain {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The print area and what a grid continues beside it. */
const wholeArea: Domain = { left: -0.15, top: -0.15, right: 1.15, bottom: 1.15 };

const samples = 32;
const derivativeStep = 1e-4;
/** Largest distance of a solution, in pixels. */
const tolerance = 0.01;

/**
 * Returns the inverse of a surface, by Newton's method from the nearest of 33 x 33 points. It is
 * null where the surface folds: only the side that the middle of the domain faces is visible.
 */
export function invertPatch(forward: Forward, domain: Domain = wholeArea): Inverse {
  const { left, top, right, bottom } = domain;
  const visible = facing(forward, domain);
  const starts: (PrintPoint & Point)[] = [];
  for (let j = 0; j <= samples; j++)
    for (let i = 0; i <= samples; i++) {
      const [u, v] = [left + ((right - left) * i) / samples, top + ((bottom - top) * j) / samples];
      const start = { u, v, ...forward(u, v) };
      if (Math.sign(jacobian(forward, start).determinant) === visible) starts.push(start);
    }
  const isNear = nearPoints(starts);
  return (x, y) => {
    if (!isNear(x, y)) return null;
    let best: PrintPoint | null = null;
    let distance = Infinity;
    for (const start of starts) {
      const squared = (start.x - x) ** 2 + (start.y - y) ** 2;
      if (squared < distance) [best, distance] = [start, squared];
    }
    const found = best && newton(forward, best, { x, y });
    if (!found || found.u < left || found.u > right || found.v < top || found.v > bottom) return null;
    return Math.sign(jacobian(forward, found).determinant) === visible ? found : null;
  };
}

/** Returns whether a position is in the rectangle around points, or at most a tenth beside it. */
function nearPoints(points: readonly Point[]): (x: number, y: number) => boolean {
  const range = (values: readonly number[]): ((value: number) => boolean) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const beyond = (high - low) / 10;
    return (value) => value >= low - beyond && value <= high + beyond;
  };
  const [isColumn, isRow] = [range(points.map(({ x }) => x)), range(points.map(({ y }) => y))];
  return (x, y) => isColumn(x) && isRow(y);
}

const facing = (forward: Forward, { left, top, right, bottom }: Domain): number =>
  Math.sign(jacobian(forward, { u: (left + right) / 2, v: (top + bottom) / 2 }).determinant);

function jacobian(forward: Forward, { u, v }: PrintPoint) {
  const slope = (a: Point, b: Point): Point => ({
    x: (b.x - a.x) / (2 * derivativeStep),
    y: (b.y - a.y) / (2 * derivativeStep),
  });
  const byU = slope(forward(u - derivativeStep, v), forward(u + derivativeStep, v));
  const byV = slope(forward(u, v - derivativeStep), forward(u, v + derivativeStep));
  return { byU, byV, determinant: byU.x * byV.y - byV.x * byU.y };
}

function newton(forward: Forward, start: PrintPoint, target: Point): PrintPoint | null {
  let { u, v } = start;
  for (let step = 0; step < 20; step++) {
    const at = forward(u, v);
    const [dx, dy] = [target.x - at.x, target.y - at.y];
    if (Math.hypot(dx, dy) < tolerance) return { u, v };
    const { byU, byV, determinant } = jacobian(forward, { u, v });
    // Bounded, so that a flat place does not end far away
    const clamp = (change: number): number => Math.max(-0.2, Math.min(0.2, change));
    u += clamp((dx * byV.y - dy * byV.x) / determinant);
    v += clamp((dy * byU.x - dx * byU.y) / determinant);
    if (!Number.isFinite(u + v)) return null;
  }
  return null;
}
