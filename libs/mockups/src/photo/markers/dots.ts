import { blurred } from '../blur.js';
import { type Point } from '../../bundle/geometry.js';

/** A dot is darker than this part of the light around it. */
const darkness = 0.72;
const minPixels = 12;
/** Share of its rectangle that an ellipse fills is 0.785; rotated ellipses fill less. */
const [minFill, maxFill] = [0.45, 0.92];

/** Dark pixels that touch each other. */
interface Spot {
  readonly pixels: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * Finds dark dots: their centres are weighted by darkness, so that the light of the pixels on
 * their edge counts.
 *
 * @param grey `side` x `side` values
 */
export function findDots(grey: Uint8Array, side: number): Point[] {
  const around = blurred(Float32Array.from(grey), side, side / 60);
  const dark = grey.map((value, i) => (value < darkness * around[i]! ? 1 : 0));
  const largest = side / 12;
  return spotsOf(dark, side).flatMap((spot) => {
    const [width, height] = [spot.right - spot.left + 1, spot.bottom - spot.top + 1];
    const fill = spot.pixels / (width * height);
    const isDot = spot.pixels >= minPixels && fill > minFill && fill < maxFill && Math.max(width, height) < largest;
    return isDot && Math.max(width, height) < 6 * Math.min(width, height) ? [centre(grey, side, spot)] : [];
  });
}

/** Returns the connected dark parts, without those that touch the edge. */
function spotsOf(dark: Uint8Array, side: number): Spot[] {
  const spots: Spot[] = [];
  const stack: number[] = [];
  for (let start = 0; start < dark.length; start++) {
    if (dark[start] !== 1) continue;
    let [pixels, left, top, right, bottom] = [0, side, side, 0, 0];
    dark[start] = 0;
    stack.push(start);
    for (let i = stack.pop(); i !== undefined; i = stack.pop()) {
      const [x, y] = [i % side, Math.floor(i / side)];
      pixels += 1;
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
      for (const next of [x > 0 ? i - 1 : i, x + 1 < side ? i + 1 : i, i - side, i + side])
        if (dark[next] === 1) {
          dark[next] = 0;
          stack.push(next);
        }
    }
    if (left > 2 && top > 2 && right < side - 3 && bottom < side - 3) spots.push({ pixels, left, top, right, bottom });
  }
  return spots;
}

/** Returns the centre of a dot, weighted by how much darker than the light around it a pixel is. */
function centre(grey: Uint8Array, side: number, { left, top, right, bottom }: Spot): Point {
  const margin = 2;
  const [x0, y0, x1, y1] = [left - margin, top - margin, right + margin, bottom + margin];
  const values: number[] = [];
  for (let y = y0; y <= y1; y++) for (let x = x0; x <= x1; x++) values.push(grey[y * side + x]!);
  const sorted = values.toSorted((a, b) => a - b);
  const [lowest, light] = [sorted[0]!, sorted[Math.floor(0.85 * sorted.length)]!];
  // The noise of the paper would pull the centre to that of the rectangle
  const ignored = 0.15 * (light - lowest);
  let [sum, sumX, sumY] = [0, 0, 0];
  values.forEach((value, i) => {
    const weight = light - value > ignored ? light - value : 0;
    sum += weight;
    sumX += weight * (x0 + (i % (x1 - x0 + 1)) + 0.5);
    sumY += weight * (y0 + Math.floor(i / (x1 - x0 + 1)) + 0.5);
  });
  return { x: sumX / sum, y: sumY / sum };
}
