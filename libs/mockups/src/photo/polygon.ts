import { type Point } from '../bundle/geometry.js';

/** Lines per pixel on which coverage is measured. */
const lines = 8;

/** Draws a polygon as antialiased coverage, `side` x `side` bytes. Overlapping parts are holes. */
export function fillPolygon(points: readonly Point[], side: number): Uint8Array {
  const plane = new Uint8Array(side * side);
  const row = new Float32Array(side);
  for (let y = 0; y < side; y++) {
    row.fill(0);
    for (let line = 0; line < lines; line++) addSpans(row, crossings(points, y + (line + 0.5) / lines));
    for (let x = 0; x < side; x++) plane[y * side + x] = Math.round((255 * row[x]!) / lines);
  }
  return plane;
}

/** Returns where a horizontal line crosses the polygon, from left to right. */
function crossings(points: readonly Point[], y: number): number[] {
  const found: number[] = [];
  points.forEach((a, i) => {
    const b = points[(i + 1) % points.length]!;
    if (a.y <= y !== b.y <= y) found.push(a.x + ((y - a.y) * (b.x - a.x)) / (b.y - a.y));
  });
  return found.sort((a, b) => a - b);
}

/** Adds the covered part of each pixel between pairs of crossings. */
function addSpans(row: Float32Array, at: readonly number[]): void {
  for (let i = 0; i + 1 < at.length; i += 2) {
    const [from, to] = [Math.max(0, at[i]!), Math.min(row.length, at[i + 1]!)];
    for (let x = Math.floor(from); x < to; x++) row[x]! += Math.min(to, x + 1) - Math.max(from, x);
  }
}
