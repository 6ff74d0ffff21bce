/** Scale and place of the document in the master. */
export interface Frame {
  /** Edge of the master in pixels. */
  readonly edge: number;
  /** Pixels of the master for a pixel of the document. */
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

/** Returns the frame of a document in the middle of a square master. */
export function frameOf(width: number, height: number, edge: number): Frame {
  const scale = edge / Math.max(width, height);
  return { edge, scale, left: (edge - width * scale) / 2, top: (edge - height * scale) / 2 };
}

interface Pixels {
  /** Place in the document. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** RGBA bytes. */
  readonly data: Uint8ClampedArray | Uint8Array;
}

interface Resampled {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Red, green, blue (multiplied by alpha) and alpha, 0..1. */
  readonly sums: Float32Array;
}

/** Contributions of the source pixels to those of the target, along an axis. */
interface Taps {
  readonly first: number;
  readonly count: number;
  /** Target pixels and weights of each source pixel. */
  readonly of: readonly (readonly (readonly [target: number, weight: number])[])[];
}

/** Averages when it reduces, and interpolates linearly when it enlarges. */
function tapsOf(start: number, length: number, scale: number, offset: number, edge: number): Taps {
  const at = (position: number): number => offset + (start + position) * scale;
  const radius = Math.max(1, scale);
  const first = Math.max(0, Math.floor(at(0)));
  const count = Math.max(0, Math.min(edge, Math.ceil(at(length))) - first);
  const of = Array.from({ length }, (_, source) => {
    const taps: [number, number][] = [];
    const [from, to] =
      scale < 1 ? [at(source), at(source + 1)] : [at(source + 0.5) - radius, at(source + 0.5) + radius];
    for (let target = Math.max(first, Math.floor(from)); target < Math.min(first + count, Math.ceil(to)); target++) {
      const weight =
        scale < 1
          ? Math.min(to, target + 1) - Math.max(from, target)
          : Math.max(0, 1 - Math.abs(target + 0.5 - at(source + 0.5)) / radius);
      if (weight > 0) taps.push([target - first, weight]);
    }
    return taps;
  });
  if (scale >= 1) repeatEdges(of, count);
  return { first, count, of };
}

/** Makes the weights of each target pixel sum up to 1, also at the edges of the source. */
function repeatEdges(of: [number, number][][], count: number): void {
  const sums = new Float64Array(count);
  for (const taps of of) for (const [target, weight] of taps) sums[target]! += weight;
  for (const taps of of) for (const tap of taps) tap[1] /= sums[tap[0]]!;
}

/** Scales pixels of the document to those of the master. */
export function resample({ left, top, width, height, data }: Pixels, frame: Frame): Resampled {
  const across = tapsOf(left, width, frame.scale, frame.left, frame.edge);
  const down = tapsOf(top, height, frame.scale, frame.top, frame.edge);
  const sums = new Float32Array(4 * across.count * down.count);
  const row = new Float32Array(4 * across.count);
  for (let y = 0; y < height; y++) {
    if (down.of[y]!.length === 0) continue;
    row.fill(0);
    for (let x = 0, i = 4 * y * width; x < width; x++, i += 4) {
      const alpha = data[i + 3]! / 255;
      if (alpha === 0) continue;
      for (const [target, weight] of across.of[x]!) {
        const part = alpha * weight;
        row[4 * target]! += (data[i]! / 255) * part;
        row[4 * target + 1]! += (data[i + 1]! / 255) * part;
        row[4 * target + 2]! += (data[i + 2]! / 255) * part;
        row[4 * target + 3]! += part;
      }
    }
    for (const [target, weight] of down.of[y]!)
      for (let i = 0, o = 4 * target * across.count; i < row.length; i++, o++) sums[o]! += row[i]! * weight;
  }
  return { left: across.first, top: down.first, width: across.count, height: down.count, sums };
}
