import { wallRgb } from './light.js';
import { acquirePixels, releasePixels } from './pixel-pool.js';
import { type Ink } from './warp.js';

/**
 * Composites the ink over a copy of the blank, in a buffer of the pixel pool. Pixels without ink
 * are identical to the blank.
 */
export function over(blank: Buffer, { pixels, rgba }: Ink): Buffer {
  const image = acquirePixels(blank.length);
  image.set(blank);
  for (let i = 0, from = 0; i < pixels.length; i++, from += 4) {
    const coverage = rgba[from + 3]!;
    if (coverage === 0) continue;
    const o = 3 * pixels[i]!;
    if (coverage === 255) {
      image[o] = rgba[from]!;
      image[o + 1] = rgba[from + 1]!;
      image[o + 2] = rgba[from + 2]!;
      continue;
    }
    const rest = 255 - coverage;
    for (let c = 0; c < 3; c++) image[o + c] = rgba[from + c]! + (image[o + c]! * rest + 127) / 255;
  }
  return image;
}

/**
 * Centres a square image in an image of another size, which crops the square where it is larger.
 * Beyond each edge of the square, its edge pixels (which may contain the shadow on a table) fade
 * into the color of the wall. The buffer of the square is released unless it is returned
 * unchanged.
 */
export function frame(square: Buffer, edge: number, width: number, height: number): Buffer {
  if (width === edge && height === edge) return square;
  const image = acquirePixels(3 * width * height);
  const left = (width - edge) >> 1;
  const top = (height - edge) >> 1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const insideX = Math.min(edge - 1, Math.max(0, x - left));
      const insideY = Math.min(edge - 1, Math.max(0, y - top));
      const from = 3 * (insideY * edge + insideX);
      const beyond = Math.abs(x - left - insideX) + Math.abs(y - top - insideY);
      const wall = fade(beyond / (0.25 * edge));
      for (let c = 0; c < 3; c++) {
        image[3 * (y * width + x) + c] = square[from + c]! * (1 - wall) + wallRgb[c]! * wall + 0.5;
      }
    }
  }
  releasePixels(square);
  return image;
}

/** Smoothstep: 0 to 1, with a slope of 0 at both ends. */
function fade(part: number): number {
  const t = Math.min(1, part);
  return t * t * (3 - 2 * t);
}
