import { type PlacedGlyph } from './text-shaping.js';

/** Part of a curve: the numbers are points, the last of which is its end. */
export interface Segment {
  readonly type: 'move' | 'line' | 'cubic' | 'close';
  readonly points: readonly number[];
}

/** Returns the curves of glyphs in pixels, to be filled by the nonzero winding rule. */
export function* segmentsOf(glyphs: readonly PlacedGlyph[]): Generator<Segment> {
  for (const { font, id, x, y, scale } of glyphs) {
    let end: readonly number[] = [];
    for (const { type, values } of font.glyphToJson(id)) {
      const points = values.map((value, index) => (index % 2 === 0 ? x + value * scale : y - value * scale));
      if (type === 'Q') yield { type: 'cubic', points: cubicOf(end, points) };
      else yield { type: types[type]!, points };
      if (points.length > 0) end = points.slice(-2);
    }
  }
}

const types: Readonly<Record<string, Segment['type']>> = { M: 'move', L: 'line', C: 'cubic', Z: 'close' };

/** Returns the cubic curve of a quadratic one, because PDF has only those. */
function cubicOf([startX, startY]: readonly number[], [controlX, controlY, endX, endY]: readonly number[]): number[] {
  const between = (from: number, to: number): number => from + (2 / 3) * (to - from);
  return [
    ...[between(startX!, controlX!), between(startY!, controlY!)],
    ...[between(endX!, controlX!), between(endY!, controlY!)],
    ...[endX!, endY!],
  ];
}

/** Lines per curve, which deviate from those of the largest letters by less than a pixel. */
const linesPerCurve = 16;

/** Area that curves cover, in parts of each pixel of an image. */
export class CoverageMap {
  /**
   * Difference of the coverage of each pixel from that of the pixel to its left, by the signed area
   * to the right of all lines.
   */
  private readonly differences: Float32Array;

  constructor(
    private readonly width: number,
    private readonly height: number,
    segments: Iterable<Segment>,
  ) {
    this.differences = new Float32Array(width * height);
    let [start, end]: (readonly number[])[] = [[], []];
    for (const { type, points } of segments) {
      if (type === 'move') start = points;
      else if (type === 'close') this.addLine(end!, start!);
      else if (type === 'line') this.addLine(end!, points);
      else this.addCurve(end!, points);
      end = type === 'close' ? start! : points.slice(-2);
    }
  }

  /** Returns the coverage of the pixels from left to right and top to bottom. */
  *rows(): Generator<Float32Array> {
    const row = new Float32Array(this.width);
    for (let y = 0; y < this.height; y++) {
      let sum = 0;
      for (let x = 0; x < this.width; x++) {
        sum += this.differences[y * this.width + x]!;
        row[x] = Math.min(1, Math.abs(sum));
      }
      yield row;
    }
  }

  private addCurve(start: readonly number[], points: readonly number[]): void {
    const all = [...start, ...points];
    let from = start;
    for (let step = 1; step <= linesPerCurve; step++) {
      const t = step / linesPerCurve;
      const s = 1 - t;
      const weights = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
      const at = (axis: number): number =>
        weights.reduce((sum, weight, index) => sum + weight * all[2 * index + axis]!, 0);
      const to = [at(0), at(1)];
      this.addLine(from, to);
      from = to;
    }
  }

  private addLine([fromX, fromY]: readonly number[], [toX, toY]: readonly number[]): void {
    const direction = fromY! < toY! ? 1 : -1;
    const [top, bottom] = [Math.min(fromY!, toY!), Math.max(fromY!, toY!)];
    const slope = (toX! - fromX!) / (toY! - fromY!);
    const xAt = (y: number): number => fromX! + (y - fromY!) * slope;
    for (let row = Math.max(0, Math.floor(top)); row < Math.min(this.height, bottom); row++) {
      const [upper, lower] = [Math.max(row, top), Math.min(row + 1, bottom)];
      if (lower > upper) this.addInRow(row, direction * (lower - upper), xAt(upper), xAt(lower));
    }
  }

  /** Adds the part of a line that is in a row of pixels, divided at the borders of the pixels. */
  private addInRow(row: number, height: number, one: number, other: number): void {
    const inside = (x: number): number => Math.min(this.width, Math.max(0, x));
    const [left, right] = [inside(Math.min(one, other)), inside(Math.max(one, other))];
    const length = right - left;
    for (let column = Math.floor(left); column <= right; column++) {
      const [from, to] = [Math.max(left, column), Math.min(right, column + 1)];
      const part = length === 0 ? height : (height * (to - from)) / length;
      const at = row * this.width + column;
      const covered = part * (column + 1 - (from + to) / 2);
      // Beyond the last pixel of a row the next row begins
      if (column < this.width) this.differences[at]! += covered;
      if (column + 1 < this.width) this.differences[at + 1]! += part - covered;
      if (length === 0) break;
    }
  }
}
