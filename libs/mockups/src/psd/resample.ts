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
  /** First target pixel of each source pixel, and the weights of this and the next ones. */
  readonly of: readonly { readonly target: number; readonly weights: Float64Array }[];
}

/** Averages when it reduces, and interpolates linearly when it enlarges. */
function tapsOf(start: number, length: number, scale: number, offset: number, edge: number): Taps {
  const at = (position: number): number => offset + (start + position) * scale;
  const radius = Math.max(1, scale);
  const first = Math.max(0, Math.floor(at(0)));
  const count = Math.max(0, Math.min(edge, Math.ceil(at(length))) - first);
  const of = Array.from({ length }, (_, source) => {
    const [from, to] =
      scale < 1 ? [at(source), at(source + 1)] : [at(source + 0.5) - radius, at(source + 0.5) + radius];
    const target = Math.max(first, Math.floor(from));
    const taps = Math.max(0, Math.min(first + count, Math.ceil(to)) - target);
    const weights = Float64Array.from({ length: taps }, (_value, tap) =>
      scale < 1
        ? Math.min(to, target + tap + 1) - Math.max(from, target + tap)
        : Math.max(0, 1 - Math.abs(target + tap + 0.5 - at(source + 0.5)) / radius),
    );
    return { target: target - first, weights };
  });
  if (scale >= 1) repeatEdges(of, count);
  return { first, count, of };
}

/** Makes the weights of each target pixel sum up to 1, also at the edges of the source. */
function repeatEdges(of: Taps['of'], count: number): void {
  const sums = new Float64Array(count);
  for (const { target, weights } of of) weights.forEach((weight, tap) => (sums[target + tap]! += weight));
  for (const { target, weights } of of)
    weights.forEach((weight, tap) => {
      if (weight > 0) weights[tap] = weight / sums[target + tap]!;
    });
}

/** Scales pixels of the document to those of the master. */
export function resample({ left, top, width, height, data }: Pixels, frame: Frame): Resampled {
  const across = tapsOf(left, width, frame.scale, frame.left, frame.edge);
  const down = tapsOf(top, height, frame.scale, frame.top, frame.edge);
  const sums = new Float32Array(4 * across.count * down.count);
  const row = new Float32Array(4 * across.count);
  for (let y = 0; y < height; y++) {
    const { target, weights } = down.of[y]!;
    if (weights.length === 0) continue;
    row.fill(0);
    for (let x = 0, i = 4 * y * width; x < width; x++, i += 4) {
      const alpha = data[i + 3]! / 255;
      if (alpha === 0) continue;
      const taps = across.of[x]!;
      for (let tap = 0, o = 4 * taps.target; tap < taps.weights.length; tap++, o += 4) {
        const part = (alpha * taps.weights[tap]!) / 255;
        row[o]! += data[i]! * part;
        row[o + 1]! += data[i + 1]! * part;
        row[o + 2]! += data[i + 2]! * part;
        row[o + 3]! += 255 * part;
      }
    }
    for (let tap = 0; tap < weights.length; tap++) {
      const weight = weights[tap]!;
      for (let i = 0, o = (target + tap) * row.length; i < row.length; i++, o++) sums[o]! += row[i]! * weight;
    }
  }
  return { left: across.first, top: down.first, width: across.count, height: down.count, sums };
}
