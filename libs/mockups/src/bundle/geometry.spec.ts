import { bezierPatch, homography, type Inverse, invertPatch, isConvex, meshPatch, type Point } from './geometry.js';
import { encodeUvGrid } from './uv-grid.js';

const corners = [
  { x: 300, y: 250 },
  { x: 880, y: 310 },
  { x: 840, y: 900 },
  { x: 260, y: 780 },
] as const;

const steps = [0, 0.13, 0.5, 0.77, 1];
const points = steps.flatMap((u) => steps.map((v) => ({ u, v })));

/** Returns the largest distance, in print coordinates, of points that are mapped there and back. */
const worstReturn = (forward: (u: number, v: number) => Point, inverse: Inverse): number =>
  Math.max(
    ...points.map(({ u, v }) => {
      const { x, y } = forward(u, v);
      const back = inverse(x, y);
      return back ? Math.hypot(back.u - u, back.v - v) : Infinity;
    }),
  );

/** The side of a cylinder of 400 pixels that a camera sees: 70 degrees to both sides. */
const cylinder = (u: number, v: number): Point => {
  const angle = ((u - 0.5) * 140 * Math.PI) / 180;
  const depth = 1 + 0.1 * (1 - Math.cos(angle));
  return { x: 600 + (400 * Math.sin(angle)) / depth, y: 600 + ((v - 0.5) * 700) / depth + 40 * Math.cos(angle) };
};

describe('a perspective view', () => {
  const { forward, inverse } = homography(corners);

  it('has its corners, and an exact inverse', () => {
    const ends = [forward(0, 0), forward(1, 0), forward(1, 1), forward(0, 1)];
    ends.forEach((end, i) => {
      expect(end.x).toBeCloseTo(corners[i]!.x, 8);
      expect(end.y).toBeCloseTo(corners[i]!.y, 8);
    });
    expect(worstReturn(forward, inverse)).toBeLessThan(1e-9);
  });

  it('keeps straight lines: the diagonals cross in the middle of the area', () => {
    const { x, y } = forward(0.5, 0.5);
    const isOn = (a: Point, b: Point): number => (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
    expect(isOn(corners[0], corners[2])).toBeCloseTo(0, 6);
    expect(isOn(corners[1], corners[3])).toBeCloseTo(0, 6);
  });

  it('has nothing behind its horizon', () => {
    const steep = homography([
      { x: 500, y: 300 },
      { x: 700, y: 300 },
      { x: 1_100, y: 1_000 },
      { x: 100, y: 1_000 },
    ]);
    expect(steep.inverse(600, 500)).not.toBeNull();
    // The edges meet at y = 125
    expect(steep.inverse(600, 100)).toBeNull();
  });
});

describe('a patch', () => {
  it('of a mesh shows a cylinder within a twentieth of a pixel, and is inverted', () => {
    const [columns, rows] = [11, 5];
    const mesh = meshPatch(
      columns,
      rows,
      Array.from({ length: columns * rows }, (_, i) =>
        cylinder((i % columns) / (columns - 1), Math.floor(i / columns) / (rows - 1)),
      ),
    );
    const distances = points.map(({ u, v }) => {
      const [is, should] = [mesh(u, v), cylinder(u, v)];
      return Math.hypot(is.x - should.x, is.y - should.y);
    });
    expect(Math.max(...distances)).toBeLessThan(0.05);
    expect(worstReturn(mesh, invertPatch(mesh))).toBeLessThan(1e-4);
  });

  it('of two points per side is bilinear', () => {
    const patch = meshPatch(2, 2, [corners[0], corners[1], corners[3], corners[2]]);
    expect(patch(0.5, 0)).toEqual({ x: 590, y: 280 });
  });

  it('of Bezier control points has their corners, and is inverted', () => {
    const control = Array.from({ length: 16 }, (_, i) => ({
      x: 300 + 200 * (i % 4) + 30 * Math.sin(i),
      y: 300 + 200 * Math.floor(i / 4) + 60 * Math.cos(i),
    }));
    const patch = bezierPatch(control);
    expect(patch(0, 0)).toEqual(control[0]);
    expect(patch(1, 1)).toEqual(control[15]);
    expect(worstReturn(patch, invertPatch(patch))).toBeLessThan(1e-4);
  });

  it('that folds has only its side in front', () => {
    // A half turn to both sides: beyond 90 degrees the surface returns
    const around = (u: number, v: number): Point => ({
      x: 600 + 400 * Math.sin((u - 0.5) * 2 * Math.PI),
      y: 200 + 800 * v,
    });
    const inverse = invertPatch(around);
    expect(inverse(800, 600)!.u).toBeCloseTo(0.5 + 1 / 12, 4);
    expect(inverse(1_100, 600)).toBeNull();
  });
});

describe('corners', () => {
  it('are convex and in order, or not', () => {
    expect(isConvex(corners)).toBe(true);
    expect(isConvex(corners.toReversed())).toBe(false);
    expect(isConvex([corners[0], corners[2], corners[1], corners[3]])).toBe(false);
  });
});

describe('a grid of print coordinates', () => {
  it('has nodes at their positions, and some beyond the area', () => {
    const { uv, bytes } = encodeUvGrid(homography(corners).inverse)!;
    expect(bytes).toHaveLength(4 * uv.cols * uv.rows);
    expect(uv.x0).toBeLessThan(260 - uv.step);
    const { inverse } = homography(corners);
    const [column, row] = [Math.floor(uv.cols / 2), Math.floor(uv.rows / 2)];
    const expected = inverse(uv.x0 + column * uv.step, uv.y0 + row * uv.step)!;
    const at = 4 * (row * uv.cols + column);
    expect(bytes.readInt16LE(at) / uv.scale).toBeCloseTo(expected.u, 4);
    expect(bytes.readInt16LE(at + 2) / uv.scale).toBeCloseTo(expected.v, 4);
  });

  it('is missing for an area that is not visible', () => {
    expect(encodeUvGrid(() => null)).toBeUndefined();
    expect(encodeUvGrid(() => ({ u: 1.2, v: 0.5 }))).toBeUndefined();
  });
});
