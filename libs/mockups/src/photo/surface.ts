import { join } from 'node:path';
import { unreadable } from '#blanks';
import {
  bezierPatch,
  homography,
  type Corners,
  type Inverse,
  invertPatch,
  isConvex,
  meshPatch,
  type Point,
} from '../bundle/geometry.js';
import { masterSide } from '../bundle/master.js';
import { type Area, type Markers } from './description.js';
import { findCorners } from './markers/chessboard.js';
import { findDots } from './markers/dots.js';
import { orderMarkers } from './markers/lattice.js';
import { openPhoto, type Photo, readSquare, type Square } from './photo.js';

/** Side of the image in which markers are searched, in pixels: two per pixel of a master. */
const maxSearchSide = 2 * masterSide;
/** Steps that a surface is continued beyond its outer markers. */
const continued = 1.25;

/** Place of a print area in a photo. */
interface Placed {
  readonly area: Area;
  readonly photo: Photo;
  readonly square: Square;
  readonly millimetres: { readonly width: number; readonly height: number };
  /** Folder of the description. */
  readonly folder: string;
  /** Path of the area in the description, for messages. */
  readonly at: string;
}

/**
 * Returns the print coordinates of positions of the master.
 *
 * @throws DomainError `catalog.invalid` when the area folds, or not all markers are found
 */
export async function surfaceOf(placed: Placed): Promise<Inverse> {
  const { area, square, at } = placed;
  const scale = masterSide / square.size;
  const inMaster = ({ x, y }: Point): Point => ({ x: (x - square.x) * scale, y: (y - square.y) * scale });
  if (area.corners) {
    if (!isConvex(area.corners))
      throw unreadable(`${at}.corners`, 'must be upper left, upper right, lower right and lower left of a convex area');
    return homography(area.corners.map(inMaster) as unknown as Corners).inverse;
  }
  if (area.bezier) return inverted(bezierPatch(area.bezier.map(inMaster)), `${at}.bezier`);
  if (area.mesh) {
    const { columns, rows, points } = area.mesh;
    return inverted(meshPatch(columns, rows, points.map(inMaster)), `${at}.mesh`);
  }
  return measuredSurface(placed, area.markers!);
}

/** Inverts a patch of the whole area, whose corners must be in order. */
function inverted(forward: Parameters<typeof invertPatch>[0], at: string): Inverse {
  if (!isConvex([forward(0.25, 0.25), forward(0.75, 0.25), forward(0.75, 0.75), forward(0.25, 0.75)]))
    throw unreadable(at, 'is folded or mirrored: rows run from left to right and from the top down');
  return invertPatch(forward);
}

async function measuredSurface({ photo, square, millimetres, folder, at }: Placed, markers: Markers): Promise<Inverse> {
  const { columns, rows, pitch, first } = markers;
  const points = await markersIn(markers, { photo, square, folder, at: `${at}.markers` });
  const mesh = meshPatch(columns, rows, points);
  const { width, height } = millimetres;
  const partOf = (start: number, count: number) => (position: number) => (position - start) / (pitch * (count - 1));
  const [alongX, alongY] = [partOf(first.x, columns), partOf(first.y, rows)];
  const limit = (node: number, start: number, whole: number): number => (start + node * pitch) / whole;
  const domain = {
    left: Math.max(-0.15, limit(-continued, first.x, width)),
    top: Math.max(-0.15, limit(-continued, first.y, height)),
    right: Math.min(1.15, limit(columns - 1 + continued, first.x, width)),
    bottom: Math.min(1.15, limit(rows - 1 + continued, first.y, height)),
  };
  if (domain.left >= domain.right || domain.top >= domain.bottom)
    throw unreadable(`${at}.markers.first`, 'places all markers outside of the print area');
  return invertPatch((u, v) => mesh(alongX(u * width), alongY(v * height)), domain);
}

interface Source {
  readonly photo: Photo;
  readonly square: Square;
  readonly folder: string;
  readonly at: string;
}

/** Returns the positions of the markers in the master, row by row. */
async function markersIn({ photo: file, pattern, columns, rows }: Markers, source: Source): Promise<readonly Point[]> {
  const { photo, square, folder, at } = source;
  const marked = await openPhoto(join(folder, file), `${at}.photo`);
  if (marked.width !== photo.width || marked.height !== photo.height)
    throw unreadable(
      `${at}.photo`,
      `has ${marked.width} x ${marked.height} pixels, not ${photo.width} x ${photo.height}: the camera must not move`,
    );
  const side = Math.min(square.size, maxSearchSide);
  const grey = await readSquare(marked, square, { side, channels: 1, at: `${at}.photo` });
  const found = pattern === 'chessboard' ? findCorners(grey, side) : findDots(grey, side);
  const ordered = orderMarkers(found, columns, rows);
  if (typeof ordered === 'string') throw unreadable(`${at}.photo`, ordered);
  return ordered.map(({ x, y }) => ({ x: (x * masterSide) / side, y: (y * masterSide) / side }));
}
