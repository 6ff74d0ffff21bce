import { type Fabric } from '#blanks';

/** A square of cloth that repeats: factors of its light, 1 on average, row by row. */
export interface Tile {
  readonly edge: number;
  readonly factors: Float32Array;
}

/** Uneven light of yarn: spots of an average size in millimetres, with a standard deviation. */
interface Unevenness {
  readonly across: number;
  readonly down: number;
  readonly amount: number;
}

/** Structure of a cloth as a function of a point (0..1 along both axes), and its unevenness. */
interface Cloth {
  /** Size of the square that repeats, and samples along an edge of it before it is scaled. */
  readonly millimetres: number;
  readonly samples: number;
  readonly structure: (x: number, y: number) => number;
  readonly unevenness: readonly Unevenness[];
}

const wave = (turns: number): number => Math.cos(2 * Math.PI * turns);

/**
 * Stockinette stitches: columns of V shapes with a groove between them.
 *
 * @param wales columns in a tile
 * @param courses rows in a tile
 */
const knit =
  (wales: number, courses: number, depth: number) =>
  (x: number, y: number): number => {
    const across = Math.abs(((x * wales) % 1) - 0.5);
    const groove = Math.exp(-(((across - 0.5) / 0.14) ** 2));
    return depth * (0.7 * wave(y * courses - 2 * across) * (1 - groove) - 1.2 * groove);
  };

/** Plain weave: each thread passes over and under the next. */
const weave =
  (threads: number, depth: number) =>
  (x: number, y: number): number => {
    const [across, down] = [x * threads, y * threads];
    const isWarp = (Math.floor(across) + Math.floor(down)) % 2 === 0;
    return depth * (isWarp ? Math.sin(Math.PI * (across % 1)) - 0.5 : Math.sin(Math.PI * (down % 1)) - 0.75);
  };

/** A square of cloth with 8 samples in a millimetre, three in a thread. */
const threads = { millimetres: 64, samples: 512 };

/**
 * Measures are those of cloth that is sold for printing: jersey of 160 g/m2, cotton with 20 threads
 * in a centimetre.
 */
const cloths = {
  jersey: {
    ...threads,
    structure: knit(80, 100, 0.05),
    unevenness: [
      { across: 0.8, down: 7, amount: 0.007 },
      { across: 2.2, down: 1.2, amount: 0.004 },
    ],
  },
  fleece: {
    ...threads,
    structure: knit(56, 72, 0.06),
    unevenness: [
      { across: 1.1, down: 7, amount: 0.008 },
      { across: 1.6, down: 1.6, amount: 0.006 },
    ],
  },
  plain: {
    ...threads,
    structure: weave(128, 0.08),
    unevenness: [
      { across: 0.5, down: 9, amount: 0.009 },
      { across: 9, down: 0.5, amount: 0.009 },
    ],
  },
} satisfies Record<Fabric, Cloth>;

/** Yarn that was spun of light and dark fibres. A smaller square repeats visibly on a shirt. */
const mottled: Cloth = {
  millimetres: 170,
  samples: 850,
  structure: () => 0,
  unevenness: [
    { across: 5, down: 0.8, amount: 0.034 },
    { across: 1.6, down: 0.7, amount: 0.03 },
  ],
};

const tiles = new Map<Cloth, Tile>();

function tileOf(cloth: Cloth, millimetresPerPixel: number): Tile {
  const whole = tiles.get(cloth) ?? drawTile(cloth);
  tiles.set(cloth, whole);
  return shrink(whole, Math.max(1, Math.min(cloth.samples, Math.round(cloth.millimetres / millimetresPerPixel))));
}

/**
 * Returns the grain of a cloth in the scale of an image. Its threads fade where a pixel contains
 * several, as in a photograph. They are not enlarged beyond the samples, where a pixel has less
 * than 0.125 mm.
 */
export const fabricTile = (fabric: Fabric, millimetresPerPixel: number): Tile =>
  tileOf(cloths[fabric], millimetresPerPixel);

/** Returns the light and dark fibres of mottled yarn, a factor of the color. */
export const mottledTile = (millimetresPerPixel: number): Tile => tileOf(mottled, millimetresPerPixel);

/**
 * Multiplies light with a tile that repeats over the image.
 *
 * @param mask where the light is that of the cloth
 * @param light changed in place
 */
export function addGrain(light: Float32Array, mask: Uint8Array, edge: number, tile: Tile): void {
  for (let y = 0, i = 0; y < edge; y++) {
    const row = (y % tile.edge) * tile.edge;
    for (let x = 0; x < edge; x++, i++) {
      if (mask[i] !== 0) light[i]! *= 1 + ((tile.factors[row + (x % tile.edge)]! - 1) * mask[i]!) / 255;
    }
  }
}

function drawTile({ millimetres, samples, structure, unevenness }: Cloth): Tile {
  const factors = new Float32Array(samples * samples);
  let sum = 0;
  for (let i = 0; i < factors.length; i++) {
    factors[i] = structure((i % samples) / samples, Math.floor(i / samples) / samples);
    sum += factors[i]!;
  }
  const mean = sum / factors.length;
  for (let i = 0; i < factors.length; i++) factors[i]! += 1 - mean;
  const random = randomNumbers(7);
  const tile = { edge: samples, factors };
  for (const spots of unevenness) addUnevenness(tile, millimetres, spots, random);
  return tile;
}

/** Adds random values at the points of a lattice that repeats, interpolated between them. */
function addUnevenness(
  { edge, factors }: Tile,
  millimetres: number,
  { across, down, amount }: Unevenness,
  random: () => number,
): void {
  const [columns, rows] = [across, down].map((size) => Math.round(millimetres / size)) as [number, number];
  // The standard deviation of a uniform value -1..1 is 1/sqrt(3), of which the interpolation along
  // each axis preserves 0.73
  const scale = (amount * Math.sqrt(3)) / 0.73 ** 2;
  const points = Float32Array.from({ length: columns * rows }, () => scale * (2 * random() - 1));
  for (let i = 0; i < factors.length; i++) {
    const x = ((i % edge) / edge) * columns;
    const y = (Math.floor(i / edge) / edge) * rows;
    const [left, top] = [Math.floor(x), Math.floor(y)];
    const [right, bottom] = [(left + 1) % columns, (top + 1) % rows];
    const [a, b] = [ease(x - left), ease(y - top)];
    const upper = points[top * columns + left]! * (1 - a) + points[top * columns + right]! * a;
    const lower = points[bottom * columns + left]! * (1 - a) + points[bottom * columns + right]! * a;
    factors[i]! += upper * (1 - b) + lower * b;
  }
}

const ease = (t: number): number => t * t * (3 - 2 * t);

/** Returns the same sequence of numbers 0..1 for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Scales a tile down: each pixel is the mean of its area, so the tile still repeats. */
function shrink({ edge: from, factors }: Tile, edge: number): Tile {
  if (edge === from) return { edge, factors };
  return { edge, factors: shrinkRows(shrinkRows(factors, from, edge), edge, edge) };
}

/** Scales each row to `edge` means, and exchanges rows and columns. */
function shrinkRows(values: Float32Array, rows: number, edge: number): Float32Array {
  const length = values.length / rows;
  const result = new Float32Array(rows * edge);
  for (let i = 0; i < edge; i++) {
    const [start, end] = [(i * length) / edge, ((i + 1) * length) / edge];
    for (let row = 0; row < rows; row++) {
      let sum = 0;
      for (let k = Math.floor(start); k < end; k++)
        sum += values[row * length + k]! * (Math.min(k + 1, end) - Math.max(k, start));
      result[i * rows + row] = sum / (end - start);
    }
  }
  return result;
}
