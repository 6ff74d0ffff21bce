import { type Raster } from './blend.js';
import { type UvGrid } from './uv-grid.js';

type Artwork = (u: number, v: number) => readonly [red: number, green: number, blue: number];

/**
 * Draws artwork for the whole print area.
 *
 * @param artwork color of each point, 0..1
 * @param isExtended true to continue it as far as the grid does, without an antialiased edge
 */
export function drawPrint(grid: UvGrid, edge: number, artwork: Artwork, isExtended: boolean): Raster {
  const raster: Raster = { left: 0, top: 0, width: edge, height: edge, rgba: new Float32Array(4 * edge * edge) };
  const { x0, y0, step, cols, rows, uv } = grid;
  const first = (origin: number): number => Math.max(0, Math.floor(origin));
  const last = (origin: number, count: number): number => Math.min(edge, Math.ceil(origin + (count - 1) * step));
  for (let y = first(y0); y < last(y0, rows); y++)
    for (let x = first(x0); x < last(x0, cols); x++) {
      const [p, q] = [(x + 0.5 - x0) / step, (y + 0.5 - y0) / step];
      const [i, j] = [Math.floor(p), Math.floor(q)];
      if (i < 0 || j < 0 || i + 1 >= cols || j + 1 >= rows) continue;
      const at = sample(uv, 2 * (j * cols + i), 2 * cols, p - i, q - j);
      if (Number.isNaN(at.u) || Number.isNaN(at.v)) continue;
      const coverage = isExtended ? 1 : edgeCoverage(at.u, at.du / step) * edgeCoverage(at.v, at.dv / step);
      if (coverage === 0) continue;
      const [red, green, blue] = artwork(Math.min(1, Math.max(0, at.u)), Math.min(1, Math.max(0, at.v)));
      const o = 4 * (y * edge + x);
      raster.rgba[o] = red;
      raster.rgba[o + 1] = green;
      raster.rgba[o + 2] = blue;
      raster.rgba[o + 3] = coverage;
    }
  return raster;
}

/** Interpolates between four nodes; `du` and `dv` are the lengths of the gradients per step. */
function sample(uv: Float64Array, node: number, nextRow: number, a: number, b: number) {
  const value = (offset: number): { at: number; gradient: number } => {
    const n00 = uv[node + offset]!;
    const n01 = uv[node + offset + nextRow]!;
    const above = uv[node + offset + 2]! - n00;
    const below = uv[node + offset + nextRow + 2]! - n01;
    const top = n00 + above * a;
    const down = n01 + below * a - top;
    const across = above * (1 - b) + below * b;
    return { at: top + down * b, gradient: Math.sqrt(across * across + down * down) };
  };
  const [u, v] = [value(0), value(1)];
  return { u: u.at, v: v.at, du: u.gradient, dv: v.gradient };
}

/** Coverage of a pixel at the edges of the area, antialiased over one pixel. */
const edgeCoverage = (value: number, perPixel: number): number =>
  Math.min(1, Math.max(0, Math.min(value, 1 - value) / perPixel + 0.5));

/** Artwork of the report: two gradients, and tiles of different brightness. */
export function testCard(u: number, v: number): [number, number, number] {
  const isBright = (Math.floor(4 * u) + Math.floor(4 * v)) % 2 === 0;
  const range = isBright ? [0.45, 1] : [0, 0.55];
  const shade = (part: number): number => range[0]! + (range[1]! - range[0]!) * part;
  return [shade(u), shade(v), shade(1 - (u + v) / 2)];
}
