import { sharp } from '#images';
import { Canvas } from '#rendering/sheet/canvas.js';

type Rgba = readonly [red: number, green: number, blue: number, alpha: number];

const { abs, cos, exp, floor, hypot, imul, max, min, round } = Math;
const mix = (from: number, to: number, part: number): number => from + (to - from) * min(1, max(0, part));
const mixed = (from: Rgba, to: Rgba, part: number): Rgba => [
  mix(from[0], to[0], part),
  mix(from[1], to[1], part),
  mix(from[2], to[2], part),
  mix(from[3], to[3], part),
];

/**
 * Paints a PNG; `color` receives the centre of each pixel, 0..1 along both axes. Functions that it
 * declares inside would be named anew for each pixel, as the bundle does.
 */
function painted(width: number, height: number, color: (x: number, y: number) => Rgba): Promise<Buffer> {
  const rgba = Buffer.alloc(4 * width * height);
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += 4) {
      const [red, green, blue, alpha] = color((x + 0.5) / width, (y + 0.5) / height);
      rgba[at] = round(red);
      rgba[at + 1] = round(green);
      rgba[at + 2] = round(blue);
      rgba[at + 3] = round(alpha);
    }
  return sharp(rgba, { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

/** Pseudorandom number 0..1 of a point with whole coordinates, the same in each run. */
function random(x: number, y: number): number {
  let hash = imul(x, 0x27_d4_eb_2d) ^ imul(y, 0x16_56_67_b1);
  hash = imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d);
  hash = imul(hash ^ (hash >>> 12), 0x29_7a_2d_39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

const smooth = (part: number): number => part * part * (3 - 2 * part);

/** Smooth noise 0..1. */
function noise(x: number, y: number): number {
  const [column, row] = [floor(x), floor(y)];
  const [a, b] = [smooth(x - column), smooth(y - row)];
  const top = mix(random(column, row), random(column + 1, row), a);
  return mix(top, mix(random(column, row + 1), random(column + 1, row + 1), a), b);
}

/** Noise with details of four sizes, 0..1. */
const clouds = (x: number, y: number): number =>
  [1, 2, 4, 8].reduce((sum, scale) => sum + noise(scale * x, scale * y) / scale, 0) / 1.875;

const horizon = 0.62;

function skyAt(x: number, y: number): Rgba {
  const sky = mixed([44, 92, 172, 255], [255, 190, 120, 255], (1.15 * y) / horizon);
  const lit = mixed(sky, [255, 226, 190, 255], 2 * (clouds(3 * x, 16 * y) - 0.5));
  return mixed(lit, [255, 246, 214, 255], exp(-((hypot(x - 0.66, 0.75 * (y - 0.36)) / 0.08) ** 2)));
}

/** Three ridges: the line of each, and its color. */
const ridges = [
  { height: 0.42, roughness: 3, rgb: [126, 116, 150, 255] },
  { height: 0.5, roughness: 5, rgb: [76, 80, 118, 255] },
  { height: 0.57, roughness: 9, rgb: [30, 46, 66, 255] },
] as const;

function landAt(x: number, y: number): Rgba {
  let color = skyAt(x, y);
  for (const { height, roughness, rgb } of ridges) {
    // The nearest ridge has trees
    const trees = roughness === 9 ? 0.02 * noise(260 * x, 1) : 0;
    if (y > height + 0.16 * (0.5 - clouds(roughness * x, height * 40)) - trees) color = rgb;
  }
  return color;
}

/** A photo-like image without transparency: gradients, and details down to a pixel. */
export const photo = (): Promise<Buffer> => {
  const [width, height] = [1_000, 750];
  return painted(width, height, (x, y) => {
    const depth = y - horizon;
    const ripple = 0.02 * (noise(30 * x, 260 * y) - 0.5);
    const color =
      depth < 0 ? landAt(x, y) : mixed(landAt(x, horizon - depth * 0.9 + ripple), [18, 34, 60, 255], 0.25 + depth);
    const grain = 10 * (random(floor(width * x), floor(height * y)) - 0.5);
    const graded = color.slice(0, 3).map((value) => min(255, max(0, value + grain))) as [number, number, number];
    return [...graded, 255];
  });
};

const [coral, teal, cream, clear]: readonly Rgba[] = [
  [232, 88, 62, 255],
  [16, 132, 136, 255],
  [252, 240, 214, 255],
  [0, 0, 0, 0],
];

/** Color of a badge at a point: distances are fractions of its side. */
function badgeAt(x: number, y: number): Rgba {
  const radius = hypot(x - 0.5, y - 0.5);
  if (radius > 0.49) return clear!;
  if (radius > 0.44) return coral!;
  if (radius > 0.415) return clear!;
  const peak = min(y - 0.34 - 0.95 * abs(x - 0.42), 1);
  const second = y - 0.5 - 0.9 * abs(x - 0.71);
  const wave = y - 0.7 - 0.014 * cos(40 * x);
  if (wave > 0 && wave % 0.07 < 0.04) return teal!;
  if (wave > 0) return clear!;
  if (peak > 0) return y < 0.44 + 0.02 * cos(60 * x) ? cream! : teal!;
  if (second > 0) return y < 0.56 + 0.012 * cos(60 * x) ? cream! : coral!;
  return hypot(x - 0.68, y - 0.3) < 0.085 ? cream! : clear!;
}

const meanOf = (points: readonly Rgba[], channel: 0 | 1 | 2): number =>
  points.reduce((sum, point) => sum + point[channel], 0) / points.length;

/** A flat logo with transparency. */
export const logo = (): Promise<Buffer> => {
  const side = 800;
  const [near, far] = [-0.25 / side, 0.25 / side];
  return painted(side, side, (x, y) => {
    const points = [
      badgeAt(x + near, y + near),
      badgeAt(x + far, y + near),
      badgeAt(x + near, y + far),
      badgeAt(x + far, y + far),
    ];
    // Transparent points have no color
    const opaque = points.filter(([, , , alpha]) => alpha > 0);
    if (opaque.length === 0) return clear!;
    return [meanOf(opaque, 0), meanOf(opaque, 1), meanOf(opaque, 2), (255 * opaque.length) / points.length];
  });
};

const corners = [
  [214, 40, 40],
  [46, 140, 60],
  [40, 80, 200],
  [236, 180, 20],
] as const;

/**
 * A grid in millimetres that fills the print area, so that it shows the warp: red, green, blue and
 * yellow corners, lines, and numbers at every fifth line.
 */
export function grid(area: { readonly width: number; readonly height: number }): Promise<Buffer> {
  const perMillimetre = 1_600 / max(area.width, area.height);
  const [width, height] = [max(1, round(area.width * perMillimetre)), max(1, round(area.height * perMillimetre))];
  const canvas = new Canvas(width, height);
  const step = [1, 2, 5, 10, 20, 50, 100, 200].find((it) => max(area.width, area.height) / it <= 30) ?? 500;
  const short = min(width, height);
  const square = short / 7;
  corners.forEach((rgb, index) => {
    const [x, y] = [index % 2 === 0 ? 0 : width - square, index < 2 ? 0 : height - square];
    canvas.rectangle({ x, y, width: square, height: square }, rgb);
  });
  const line = (index: number): { thickness: number; rgb: readonly [number, number, number] } =>
    index % 5 === 0 ? { thickness: 7, rgb: [30, 36, 48] } : { thickness: 3, rgb: [120, 150, 170] };
  for (let index = 0; index * step <= area.width; index++) {
    const { thickness, rgb } = line(index);
    canvas.rectangle({ x: index * step * perMillimetre - thickness / 2, y: 0, width: thickness, height }, rgb);
  }
  for (let index = 0; index * step <= area.height; index++) {
    const { thickness, rgb } = line(index);
    canvas.rectangle({ x: 0, y: index * step * perMillimetre - thickness / 2, width, height: thickness }, rgb);
  }
  const em = min(0.13 * short, 4 * step * perMillimetre);
  const rgb = [200, 30, 90] as const;
  for (let at = 5 * step; at < area.width - step; at += 5 * step)
    canvas.label(String(at), { x: at * perMillimetre + 8, y: 0.9 * em, em: 0.7 * em, rgb });
  for (let at = 5 * step; at < area.height - step; at += 5 * step)
    canvas.label(String(at), { x: 12, y: at * perMillimetre - 10, em: 0.7 * em, rgb });
  return canvas.encode('png');
}
