import { type Layer } from '#blanks';
import { type Inverse, type PrintPoint } from './geometry.js';
import { gridStep as step, masterSide } from './master.js';

const scale = 16_000;
const outside = -32_768;
/** Nodes beyond the print area that a grid has, so that pixels at its edge are between nodes. */
const nodesBeyond = 3;

const isInside = ({ u, v }: PrintPoint): boolean => u >= 0 && u <= 1 && v >= 0 && v <= 1;
const fits = ({ u, v }: PrintPoint): boolean => Math.max(Math.abs(u), Math.abs(v)) * scale < -outside - 1;

/** Grid of print coordinates: the fields of `layer.json`, and the content of `uv.bin`. */
export interface EncodedGrid {
  readonly uv: Layer['uv'];
  readonly bytes: Buffer;
}

/**
 * Encodes print coordinates as a grid of nodes around the print area.
 *
 * @param inverse print coordinates at a position of the master
 * @returns undefined when the print area is not visible
 */
export function encodeUvGrid(inverse: Inverse): EncodedGrid | undefined {
  // One node beyond each edge of the master: its outer pixels are between nodes
  const count = masterSide / step + 3;
  const position = (node: number): number => (node - 1) * step;
  const found = Array.from({ length: count * count }, (_, i) =>
    inverse(position(i % count), position(Math.floor(i / count))),
  );
  const used = around(found, count);
  if (!used) return undefined;
  const { left, top, right, bottom } = used;
  const [cols, rows] = [right - left + 1, bottom - top + 1];
  const bytes = Buffer.alloc(4 * cols * rows);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < cols; column++) {
      const node = found[(top + row) * count + left + column] ?? null;
      const at = 4 * (row * cols + column);
      const isNear = node !== null && fits(node);
      bytes.writeInt16LE(isNear ? Math.round(node.u * scale) : outside, at);
      bytes.writeInt16LE(isNear ? Math.round(node.v * scale) : outside, at + 2);
    }
  return { uv: { x0: position(left), y0: position(top), step, cols, rows, scale, outside }, bytes };
}

/** Returns the rectangle of nodes around those inside the print area. */
function around(nodes: readonly (PrintPoint | null)[], count: number) {
  const inside = nodes.flatMap((node, i) => (node && isInside(node) ? [i] : []));
  if (inside.length === 0) return undefined;
  const range = (indexes: number[]) => {
    const [least, most] = indexes.reduce(([a, b], i) => [Math.min(a, i), Math.max(b, i)], [count, 0]);
    return [Math.max(0, least - nodesBeyond), Math.min(count - 1, most + nodesBeyond)] as const;
  };
  const [left, right] = range(inside.map((i) => i % count));
  const [top, bottom] = range(inside.map((i) => Math.floor(i / count)));
  return { left, top, right, bottom };
}
