import { blurred } from '../blur.js';
import { type Point } from '../../bundle/geometry.js';

/** Filter before derivatives are taken, in pixels: removes the noise of JPEG. */
const sigma = 1.5;
/** Half of the window of a corner, in pixels. Squares must be larger. */
const reach = 5;
const ringPoints = 32;
/** Difference of light and dark squares on the ring of a corner, of 255. */
const minContrast = 20;

/**
 * Finds inner corners of a chessboard: saddle points of brightness, with four alternating squares
 * around. Each is refined by a quadratic surface to less than a tenth of a pixel.
 *
 * @param grey `side` x `side` values
 */
export function findCorners(grey: Uint8Array, side: number): Point[] {
  const smooth = blurred(Float32Array.from(grey), side, sigma);
  const saddle = saddleStrength(smooth, side);
  const found: Point[] = [];
  for (let y = 2 * reach; y < side - 2 * reach; y++)
    for (let x = 2 * reach; x < side - 2 * reach; x++) {
      const strength = saddle[y * side + x]!;
      if (strength < 4 || !isPeak(saddle, side, x, y)) continue;
      const refined = refine(smooth, side, { x, y });
      if (refined && isAlternating(smooth, side, refined)) found.push({ x: refined.x + 0.5, y: refined.y + 0.5 });
    }
  return found;
}

/** Returns the negative determinant of the Hessian: positive at saddle points. */
function saddleStrength(plane: Float32Array, side: number): Float32Array {
  const strength = new Float32Array(plane.length);
  const h = 2;
  for (let y = h; y < side - h; y++)
    for (let x = h; x < side - h; x++) {
      const at = (dx: number, dy: number): number => plane[(y + dy) * side + x + dx]!;
      const centre = 2 * at(0, 0);
      const xx = at(-h, 0) - centre + at(h, 0);
      const yy = at(0, -h) - centre + at(0, h);
      const xy = (at(-h, -h) - at(h, -h) - at(-h, h) + at(h, h)) / 4;
      strength[y * side + x] = xy * xy - xx * yy;
    }
  return strength;
}

function isPeak(plane: Float32Array, side: number, x: number, y: number): boolean {
  const value = plane[y * side + x]!;
  for (let dy = -reach; dy <= reach; dy++)
    for (let dx = -reach; dx <= reach; dx++) {
      const other = plane[(y + dy) * side + x + dx]!;
      if (other > value || (other === value && (dy < 0 || (dy === 0 && dx < 0)))) return false;
    }
  return true;
}

/** Moves a point to the saddle of the quadratic surface through its window. */
function refine(plane: Float32Array, side: number, start: Point): Point | undefined {
  let { x, y } = start;
  for (let step = 0; step < 5; step++) {
    const move = saddleOf(plane, side, x, y);
    if (!move) return undefined;
    [x, y] = [x + move.x, y + move.y];
    if (Math.hypot(x - start.x, y - start.y) > reach / 2) return undefined;
    if (Math.hypot(move.x, move.y) < 0.005) break;
  }
  return { x, y };
}

/** Returns the saddle of the least squares quadratic around a position, from that position. */
function saddleOf(plane: Float32Array, side: number, x: number, y: number): Point | undefined {
  const half = reach - 1;
  let [sum, byX, byY, byXX, byYY, byXY] = [0, 0, 0, 0, 0, 0];
  for (let j = -half; j <= half; j++)
    for (let i = -half; i <= half; i++) {
      const value = sampled(plane, side, x + i, y + j);
      sum += value;
      byX += i * value;
      byY += j * value;
      byXX += i * i * value;
      byYY += j * j * value;
      byXY += i * j * value;
    }
  // Sums over the symmetric window, by which the normal equations separate
  const width = 2 * half + 1;
  const second = (half * (half + 1) * width) / 3;
  const fourth = (second * (3 * half * half + 3 * half - 1)) / 5;
  const [n, m2, m4, m22] = [width * width, width * second, width * fourth, second * second];
  const spread = m4 - m22;
  // First a - b, then a + b, from n*c + m2*(a + b) = sum and its moments
  const difference = (byXX - byYY) / spread;
  const total = (byXX + byYY - (2 * m2 * sum) / n) / (m4 + m22 - (2 * m2 * m2) / n);
  const [a, b, c] = [(total + difference) / 2, (total - difference) / 2, byXY / m22];
  const [d, e] = [byX / m2, byY / m2];
  const determinant = 4 * a * b - c * c;
  if (determinant >= 0) return undefined;
  const move = { x: (c * e - 2 * b * d) / determinant, y: (c * d - 2 * a * e) / determinant };
  return Math.hypot(move.x, move.y) < reach ? move : undefined;
}

function sampled(plane: Float32Array, side: number, x: number, y: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [a, b] = [x - left, y - top];
  const at = top * side + left;
  const upper = plane[at]! * (1 - a) + plane[at + 1]! * a;
  const lower = plane[at + side]! * (1 - a) + plane[at + side + 1]! * a;
  return upper * (1 - b) + lower * b;
}

/** Returns whether a ring around a point is light, dark, light and dark, and symmetric. */
function isAlternating(plane: Float32Array, side: number, { x, y }: Point): boolean {
  const ring = Array.from({ length: ringPoints }, (_, i) => {
    const angle = (2 * Math.PI * i) / ringPoints;
    return sampled(plane, side, x + reach * Math.cos(angle), y + reach * Math.sin(angle));
  });
  const [low, high] = [Math.min(...ring), Math.max(...ring)];
  if (high - low < minContrast) return false;
  const middle = (low + high) / 2;
  const changes = ring.filter((value, i) => value > middle !== ring[(i + 1) % ringPoints]! > middle).length;
  const opposite = ring.filter((value, i) => value > middle === ring[(i + ringPoints / 2) % ringPoints]! > middle);
  return changes === 4 && opposite.length >= 0.7 * ringPoints;
}
