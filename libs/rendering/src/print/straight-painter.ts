import { type Artwork } from './artwork.js';
import { firstWeight, fourthWeight, secondWeight, thirdWeight } from './cubic.js';
import { coverageAt, type InkEdges, insideOf } from './ink-edges.js';

/** The four artwork pixels of each print pixel along one axis, and their weights times coverage. */
interface Taps {
  readonly from: Int32Array;
  readonly weights: Float32Array;
  /** First covered pixel of the print, and the one after the last. */
  readonly first: number;
  readonly end: number;
}

/** One axis of a print whose artwork is not rotated. */
interface StraightAxis {
  /** Number of pixels of the print. */
  readonly count: number;
  /** Returns the position in the pattern at the centre of a pixel. */
  readonly at: (pixel: number) => number;
  readonly edges: InkEdges;
}

function tapsOf({ count, at, edges }: StraightAxis, origin: number, scale: number, size: number): Taps {
  const from = new Int32Array(4 * count);
  const weights = new Float32Array(4 * count);
  let [first, end] = [count, 0];
  for (let i = 0; i < count; i++) {
    const position = at(i);
    const coverage = coverageAt(edges, position);
    if (coverage === 0) continue;
    first = Math.min(first, i);
    end = i + 1;
    const place = insideOf(position) * scale - origin - 0.5;
    const second = Math.floor(place);
    const t = place - second;
    for (let k = 0; k < 4; k++) from[4 * i + k] = Math.min(size - 1, Math.max(0, second - 1 + k));
    weights[4 * i] = firstWeight(t) * coverage;
    weights[4 * i + 1] = secondWeight(t) * coverage;
    weights[4 * i + 2] = thirdWeight(t) * coverage;
    weights[4 * i + 3] = fourthWeight(t) * coverage;
  }
  return { from, weights, first, end };
}

/** Draws the rows of a print from `top` on into a band of whole rows. */
export type BandPainter = (top: number, band: Uint8Array) => void;

/**
 * Returns the painter of a print whose artwork is not rotated. Columns and rows are interpolated
 * one after the other: a fifth of the time of both at once. The result is the same.
 */
export function straightPainter(artwork: Artwork, x: StraightAxis, y: StraightAxis): BandPainter {
  const columns = tapsOf(x, artwork.left, artwork.perX, artwork.width);
  const { from, weights, first, end } = tapsOf(y, artwork.top, artwork.perY, artwork.height);
  const rowBytes = 4 * x.count;
  const [start, stop] = [4 * columns.first, 4 * columns.end];
  // Neighbouring rows of the print share rows of the artwork
  const slots = Array.from({ length: 4 }, () => ({ row: -1, pixels: new Float32Array(rowBytes) }));
  const wideRow = (row: number): Float32Array => {
    const slot = slots[row & 3]!;
    if (slot.row !== row) {
      widen(artwork, row, columns, slot.pixels);
      slot.row = row;
    }
    return slot.pixels;
  };
  const sameRows = (one: number, other: number): boolean => {
    for (let k = 0; k < 4; k++) if (from[4 * one + k] !== from[4 * other + k]) return false;
    return true;
  };
  return (top, band) => {
    band.fill(0);
    const last = Math.min(top + band.length / rowBytes, end);
    for (let row = Math.max(top, first); row < last;) {
      const t = 4 * row;
      const wide = [0, 1, 2, 3].map((k) => wideRow(from[t + k]!));
      const offset = (row - top) * rowBytes;
      const isPair = row + 1 < last && sameRows(row, row + 1);
      const weightsOfNext = isPair ? weights.subarray(t + 4, t + 8) : null;
      blend(wide, weights.subarray(t, t + 4), weightsOfNext, band.subarray(offset), { start, stop, rowBytes });
      row += isPair ? 2 : 1;
    }
  };
}

/**
 * Writes the weighted sum of four rows, or two sums with different weights into two rows: a third
 * less time than one after the other.
 */
function blend(
  rows: readonly Float32Array[],
  weights: Float32Array,
  weightsOfNext: Float32Array | null,
  out: Uint8Array,
  { start, stop, rowBytes }: { start: number; stop: number; rowBytes: number },
): void {
  const [r0, r1, r2, r3] = [rows[0]!, rows[1]!, rows[2]!, rows[3]!];
  const [w0, w1, w2, w3] = [weights[0]!, weights[1]!, weights[2]!, weights[3]!];
  if (weightsOfNext === null) {
    for (let i = start; i < stop; i++) {
      const value = r0[i]! * w0 + r1[i]! * w1 + r2[i]! * w2 + r3[i]! * w3 + 0.5;
      out[i] = value < 0 ? 0 : value > 255 ? 255 : value;
    }
    return;
  }
  const [n0, n1, n2, n3] = [weightsOfNext[0]!, weightsOfNext[1]!, weightsOfNext[2]!, weightsOfNext[3]!];
  for (let i = start, o = start + rowBytes; i < stop; i++, o++) {
    const a = r0[i]!;
    const b = r1[i]!;
    const c = r2[i]!;
    const d = r3[i]!;
    const value = a * w0 + b * w1 + c * w2 + d * w3 + 0.5;
    const next = a * n0 + b * n1 + c * n2 + d * n3 + 0.5;
    out[i] = value < 0 ? 0 : value > 255 ? 255 : value;
    out[o] = next < 0 ? 0 : next > 255 ? 255 : next;
  }
}

/** Enlarges a row of the artwork along X. */
function widen({ data, width }: Artwork, row: number, { from, weights, first, end }: Taps, out: Float32Array): void {
  const line = 4 * row * width;
  for (let t = 4 * first, o = 4 * first; t < 4 * end; t += 4, o += 4) {
    const w0 = weights[t]!;
    const w1 = weights[t + 1]!;
    const w2 = weights[t + 2]!;
    const w3 = weights[t + 3]!;
    const p0 = line + 4 * from[t]!;
    const p1 = line + 4 * from[t + 1]!;
    const p2 = line + 4 * from[t + 2]!;
    const p3 = line + 4 * from[t + 3]!;
    out[o] = data[p0]! * w0 + data[p1]! * w1 + data[p2]! * w2 + data[p3]! * w3;
    out[o + 1] = data[p0 + 1]! * w0 + data[p1 + 1]! * w1 + data[p2 + 1]! * w2 + data[p3 + 1]! * w3;
    out[o + 2] = data[p0 + 2]! * w0 + data[p1 + 2]! * w1 + data[p2 + 2]! * w2 + data[p3 + 2]! * w3;
    out[o + 3] = data[p0 + 3]! * w0 + data[p1 + 3]! * w1 + data[p2 + 3]! * w2 + data[p3 + 3]! * w3;
  }
}
