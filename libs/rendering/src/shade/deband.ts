/** Largest difference of pixels 4 apart where the light is even: twice a step of the master. */
const evenStep = 4;
/** Largest correction of a pixel: a step of the master (WebP has 219 levels), and its rounding. */
const maxCorrection = 2.5;

/**
 * Removes the contour lines of soft shadows: a master has 8 bits, of which WebP uses 219 levels, so
 * a shadow that loses a tenth of the light over 300 pixels is a staircase with wide steps. Each
 * pixel that is not tinted becomes the mean of a square around it, which ends where the light is
 * not even, so edges and the shadows of edges remain as they are. Structure of less than 2.5 levels
 * is lost there.
 *
 * @param shade `edge` x `edge` bytes
 * @param mask 0 where nothing is tinted: the wall, and parts that have their own color
 * @returns the light with fractions
 */
export function deband(shade: Uint8Array, mask: Uint8Array, edge: number): Float32Array {
  const light = Float32Array.from(shade);
  const reach = distances(shade, mask, edge, Math.ceil(edge / 40));
  const sums = areaSums(shade, edge);
  for (let y = 0, i = 0; y < edge; y++) {
    for (let x = 0; x < edge; x++, i++) {
      // A smaller square where the light bends, so that the correction has no edge of its own
      for (let r = reach[i]!; r > 0; r >>= 1) {
        const mean = meanAround(sums, edge + 1, x, y, r);
        if (Math.abs(mean - shade[i]!) > maxCorrection) continue;
        light[i] = mean;
        break;
      }
    }
  }
  return light;
}

/**
 * Returns how far even light without tint extends around each pixel, in rows and columns, up to
 * `limit`: the chessboard distance to the nearest pixel that is not, or to the edge of the image.
 */
function distances(shade: Uint8Array, mask: Uint8Array, edge: number, limit: number): Uint8Array {
  const reach = new Uint8Array(edge * edge);
  const isEven = (i: number): boolean =>
    mask[i] === 0 &&
    Math.abs(shade[i + 2]! - shade[i - 2]!) <= evenStep &&
    Math.abs(shade[i + 2 * edge]! - shade[i - 2 * edge]!) <= evenStep;
  for (let y = 2; y < edge - 2; y++) {
    for (let i = y * edge + 2; i < (y + 1) * edge - 2; i++) {
      if (!isEven(i)) continue;
      const above = i - edge;
      reach[i] = 1 + Math.min(limit, reach[i - 1]!, reach[above - 1]!, reach[above]!, reach[above + 1]!);
    }
  }
  for (let y = edge - 3; y > 1; y--) {
    for (let i = (y + 1) * edge - 3; i >= y * edge + 2; i--) {
      const below = i + edge;
      const near = Math.min(limit, reach[i + 1]!, reach[below - 1]!, reach[below]!, reach[below + 1]!);
      if (reach[i]! > near + 1) reach[i] = near + 1;
    }
  }
  // The pixel itself has a distance of 1, and a square of 0 pixels around it
  for (let i = 0; i < reach.length; i++) if (reach[i]! > 0) reach[i]! -= 1;
  return reach;
}

/** Returns the mean of the square of pixels that reaches `r` pixels to each side. */
function meanAround(sums: Uint32Array, wide: number, x: number, y: number, r: number): number {
  const [top, bottom] = [(y - r) * wide + x, (y + r + 1) * wide + x];
  const sum = sums[bottom + r + 1]! - sums[bottom - r]! - sums[top + r + 1]! + sums[top - r]!;
  return sum / (2 * r + 1) ** 2;
}

/**
 * Returns the sum of all pixels above and to the left of each corner of a pixel. That of the
 * largest image (4,096 x 4,096) fits into 32 bits.
 */
function areaSums(values: Uint8Array, edge: number): Uint32Array {
  const wide = edge + 1;
  const sums = new Uint32Array(wide * wide);
  for (let y = 0, i = 0; y < edge; y++) {
    let row = 0;
    for (let x = 0, o = (y + 1) * wide + 1; x < edge; x++, i++, o++) {
      row += values[i]!;
      sums[o] = sums[o - wide]! + row;
    }
  }
  return sums;
}

/** Thresholds of an ordered dither (Bayer 1973), 8 x 8. */
const thresholds = Float32Array.from({ length: 64 }, (_, i) => {
  const [x, y] = [i & 7, i >> 3];
  let value = 0;
  for (let bit = 0; bit < 3; bit++) value = 4 * value + (((((x ^ y) >> bit) & 1) << 1) | ((y >> bit) & 1));
  return (value + 0.5) / 64;
});

/**
 * Rounds light to bytes with an ordered pattern, so that the mean over 8 x 8 pixels is the exact
 * value. It repeats, so PNG and WebP compress it better than noise.
 */
export function dither(light: Float32Array, edge: number): Buffer {
  const bytes = Buffer.allocUnsafe(edge * edge);
  for (let y = 0, i = 0; y < edge; y++) {
    for (let x = 0; x < edge; x++, i++) {
      const value = light[i]! + thresholds[((y & 7) << 3) | (x & 7)]!;
      bytes[i] = value > 255 ? 255 : value;
    }
  }
  return bytes;
}
