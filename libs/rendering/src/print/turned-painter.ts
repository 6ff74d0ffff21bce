import { type Matrix, type PlacedArtwork } from '#contracts';
import { tilePoint } from '#placement';
import { type Artwork } from './artwork.js';
import { firstWeight, fourthWeight, secondWeight, thirdWeight } from './cubic.js';
import { coverageAt, type InkEdges, insideOf } from './ink-edges.js';
import { type BandPainter } from './straight-painter.js';

/**
 * Returns the painter of a print with any placement: 16 pixels of the artwork are interpolated for
 * each pixel.
 *
 * @param toArtwork maps pixels of the print to the artwork; the centre of the first is 0.5, 0.5
 */
export function turnedPainter(
  artwork: Artwork,
  placed: PlacedArtwork,
  toArtwork: Matrix,
  edges: { readonly x: InkEdges; readonly y: InkEdges },
  width: number,
): BandPainter {
  const [a, b, c, d, e, f] = toArtwork;
  const sample = sampler(artwork);
  const isRepeated = placed.repeat !== 'none';
  return (top, band) => {
    band.fill(0);
    for (let o = 0; o < band.length; o += 4) {
      const column = ((o / 4) % width) + 0.5;
      const row = top + Math.floor(o / 4 / width) + 0.5;
      let x = a * column + c * row + e;
      let y = b * column + d * row + f;
      if (isRepeated) {
        const point = tilePoint(placed, { x, y });
        x = point.x;
        y = point.y;
      }
      const coverage = coverageAt(edges.x, x) * coverageAt(edges.y, y);
      if (coverage === 0) continue;
      const left = insideOf(x) * artwork.perX - artwork.left - 0.5;
      sample(left, insideOf(y) * artwork.perY - artwork.top - 0.5, coverage, band, o);
    }
  };
}

/** Returns a function that writes the four bytes of the artwork at a position, times coverage. */
function sampler({ data, width, height }: Artwork) {
  return (left: number, top: number, coverage: number, out: Uint8Array, o: number): void => {
    const x = Math.floor(left);
    const y = Math.floor(top);
    const s = left - x;
    const t = top - y;
    const w0 = firstWeight(s) * coverage;
    const w1 = secondWeight(s) * coverage;
    const w2 = thirdWeight(s) * coverage;
    const w3 = fourthWeight(s) * coverage;
    const c0 = 4 * inRange(x - 1, width);
    const c1 = 4 * inRange(x, width);
    const c2 = 4 * inRange(x + 1, width);
    const c3 = 4 * inRange(x + 2, width);
    let v0 = 0.5;
    let v1 = 0.5;
    let v2 = 0.5;
    let v3 = 0.5;
    for (let k = 0; k < 4; k++) {
      const line = 4 * width * inRange(y - 1 + k, height);
      const w = k === 0 ? firstWeight(t) : k === 1 ? secondWeight(t) : k === 2 ? thirdWeight(t) : fourthWeight(t);
      const p0 = line + c0;
      const p1 = line + c1;
      const p2 = line + c2;
      const p3 = line + c3;
      v0 += w * (data[p0]! * w0 + data[p1]! * w1 + data[p2]! * w2 + data[p3]! * w3);
      v1 += w * (data[p0 + 1]! * w0 + data[p1 + 1]! * w1 + data[p2 + 1]! * w2 + data[p3 + 1]! * w3);
      v2 += w * (data[p0 + 2]! * w0 + data[p1 + 2]! * w1 + data[p2 + 2]! * w2 + data[p3 + 2]! * w3);
      v3 += w * (data[p0 + 3]! * w0 + data[p1 + 3]! * w1 + data[p2 + 3]! * w2 + data[p3 + 3]! * w3);
    }
    out[o] = byteOf(v0);
    out[o + 1] = byteOf(v1);
    out[o + 2] = byteOf(v2);
    out[o + 3] = byteOf(v3);
  };
}

const inRange = (index: number, size: number): number => (index < 0 ? 0 : index >= size ? size - 1 : index);
const byteOf = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : value);
