import { type PlacedLayer, type Warp } from 'ag-psd';
import { PsdMistake } from './psd-mistake.js';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * Place of the content in the document: u and v, 0..1, to pixels. Undefined behind the camera of a
 * perspective. Beyond 0..1 a warp is continued linearly.
 */
export type Surface = (u: number, v: number) => Point | undefined;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the surface of a smart object: its warp, in the coordinates of its content, followed by
 * the perspective from the content to its four corners.
 *
 * @param name of the layer, for messages
 * @throws PsdMistake
 */
export function surfaceOf(placed: PlacedLayer, name: string): Surface {
  // Photoshop stores an affine approximation beside the corners of a perspective
  const corners = placed.nonAffineTransform ?? placed.transform;
  if (
    !Array.isArray(corners) ||
    corners.length !== 8 ||
    !corners.every((it) => Number.isFinite(it) && Math.abs(it) < 1e6)
  )
    throw new PsdMistake(`has no usable transform in smart object ${name}`);
  const content = contentBox(placed);
  if (!(content.width > 0 && content.height > 0))
    throw new PsdMistake(`has no size of the content in smart object ${name}`);
  const toDocument = perspective(content, corners);
  if (!toDocument) throw new PsdMistake(`has corners on one line in smart object ${name}`);
  const warped = warpOf(placed.warp, content, name);
  return (u, v) => toDocument(warped(u, v));
}

function boundsOf({ bounds }: Warp): Box | undefined {
  if (!bounds) return undefined;
  const [left, top] = [bounds.left.value, bounds.top.value];
  const box = { left, top, width: bounds.right.value - left, height: bounds.bottom.value - top };
  return box.width > 0 && box.height > 0 ? box : undefined;
}

function contentBox({ width = 0, height = 0, warp }: PlacedLayer): Box {
  if (width > 0 && height > 0) return { left: 0, top: 0, width, height };
  return (warp && boundsOf(warp)) ?? { left: 0, top: 0, width: 0, height: 0 };
}

/** Width / height of the content. */
export function contentAspect(placed: PlacedLayer): number {
  const { width, height } = contentBox(placed);
  return width / height;
}

/** Returns the perspective from a box to four corners: upper left, clockwise. */
function perspective(box: Box, corners: readonly number[]): ((point: Point) => Point | undefined) | undefined {
  const [x0, y0, x1, y1, x2, y2, x3, y3] = corners as [number, number, number, number, number, number, number, number];
  // Heckbert 1989: the unit square to a quadrilateral
  const [dx1, dx2, sx] = [x1 - x2, x3 - x2, x0 - x1 + x2 - x3];
  const [dy1, dy2, sy] = [y1 - y2, y3 - y2, y0 - y1 + y2 - y3];
  const determinant = dx1 * dy2 - dx2 * dy1;
  if (Math.abs(determinant) < 1e-3) return undefined;
  const g = (sx * dy2 - dx2 * sy) / determinant;
  const h = (dx1 * sy - sx * dy1) / determinant;
  const [a, b] = [x1 - x0 + g * x1, x3 - x0 + h * x3];
  const [d, e] = [y1 - y0 + g * y1, y3 - y0 + h * y3];
  return ({ x, y }) => {
    const [s, t] = [(x - box.left) / box.width, (y - box.top) / box.height];
    const w = g * s + h * t + 1;
    return w < 1e-3 ? undefined : { x: (a * s + b * t + x0) / w, y: (d * s + e * t + y0) / w };
  };
}

function warpOf(warp: Warp | undefined, content: Box, name: string): (u: number, v: number) => Point {
  const style = warp?.style ?? 'none';
  if (!warp || style === 'none')
    return (u, v) => ({ x: content.left + u * content.width, y: content.top + v * content.height });
  if (style !== 'custom')
    throw new PsdMistake(
      `has the warp style ${style} in smart object ${name}, which is not supported: choose Custom in Edit > Transform > Warp, and save it`,
    );
  return mesh(warp, name, boundsOf(warp) ?? content);
}

/** Points of a Bezier patch along each axis; neighbours share their border. */
const order = 3;

/** Returns a mesh of Bezier patches, usually one of 4 x 4 points. */
function mesh(warp: Warp, name: string, bounds: Box): (u: number, v: number) => Point {
  const columns = Math.max(1, warp.deformNumCols ?? 1);
  const rows = Math.max(1, warp.deformNumRows ?? 1);
  const { meshPoints: points = [], quiltSliceX, quiltSliceY } = warp.customEnvelopeWarp ?? {};
  const perRow = order * columns + 1;
  if (columns > 50 || rows > 50 || points.length !== perRow * (order * rows + 1))
    throw new PsdMistake(
      `has ${points.length} points in the warp of smart object ${name}, not ${perRow} x ${order * rows + 1}`,
    );
  if (!points.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y)))
    throw new PsdMistake(`has invalid points in the warp of smart object ${name}`);
  const slicesX = slices(quiltSliceX, columns, bounds.left, bounds.width);
  const slicesY = slices(quiltSliceY, rows, bounds.top, bounds.height);
  return (u, v) => {
    const [at, down] = [locate(slicesX, u), locate(slicesY, v)];
    const first = order * (down.index * perRow + at.index);
    const inside = patch(points, first, perRow, at, down);
    return { x: inside('x'), y: inside('y') };
  };
}

/** Returns the borders of the patches along an axis, 0..1. */
function slices(values: readonly number[] | undefined, count: number, start: number, length: number): number[] {
  const even = Array.from({ length: count + 1 }, (_, index) => index / count);
  if (values?.length !== count + 1) return even;
  const found = values.map((value) => (value - start) / length);
  return found.every((value, index) => index === 0 || value > found[index - 1]!) ? found : even;
}

interface InPatch {
  readonly index: number;
  /** Place in the patch, 0..1. */
  readonly t: number;
  /** Distance beyond the mesh, in patches, negative before it. */
  readonly beyond: number;
}

function locate(borders: readonly number[], value: number): InPatch {
  let index = 0;
  while (index < borders.length - 2 && value > borders[index + 1]!) index++;
  const t = (value - borders[index]!) / (borders[index + 1]! - borders[index]!);
  const inside = Math.min(1, Math.max(0, t));
  return { index, t: inside, beyond: t - inside };
}

const bernstein = (t: number): number[] => [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
const slope = (t: number): number[] => [
  -3 * (1 - t) ** 2,
  3 * (1 - t) ** 2 - 6 * t * (1 - t),
  6 * t * (1 - t) - 3 * t * t,
  3 * t * t,
];

/** Returns a function for each coordinate of a point of a patch, continued linearly beyond it. */
function patch(points: readonly Point[], first: number, perRow: number, across: InPatch, down: InPatch) {
  const weights = (u: number[], v: number[], axis: 'x' | 'y'): number => {
    let sum = 0;
    for (let j = 0; j <= order; j++)
      for (let i = 0; i <= order; i++) sum += v[j]! * u[i]! * points[first + j * perRow + i]![axis];
    return sum;
  };
  const [u, v] = [bernstein(across.t), bernstein(down.t)];
  return (axis: 'x' | 'y'): number => {
    let value = weights(u, v, axis);
    if (across.beyond !== 0) value += across.beyond * weights(slope(across.t), v, axis);
    if (down.beyond !== 0) value += down.beyond * weights(u, slope(down.t), axis);
    return value;
  };
}
