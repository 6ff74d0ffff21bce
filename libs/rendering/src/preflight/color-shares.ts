import { softProof } from '../soft-proof.js';
import { colorsOf, type Ink } from './ink.js';

type Rgb = readonly [red: number, green: number, blue: number];

/** Color of an item, `#rrggbb`. */
export interface ClothColor {
  readonly name: string;
  readonly rgb: string;
}

/**
 * Color difference (CIE 1976) below which ink is not seen on cloth: side by side, differences of 2
 * are seen; on the texture of cloth, of about 10.
 */
const maxUnseenDifference = 10;

/**
 * Color difference (CIE 1976) from which a printed color is another color. On paper, pure red
 * has 25, black 14, pure blue 97.
 */
const minOtherColor = 30;

const linear = (value: number): number => {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
};
const cubeRoot = (t: number): number => (t > 216 / 24_389 ? Math.cbrt(t) : ((24_389 / 27) * t + 16) / 116);

/** Returns the CIELAB of sRGB under D50. */
function labOf(rgb: Rgb): Rgb {
  const [r, g, b] = [linear(rgb[0]), linear(rgb[1]), linear(rgb[2])];
  const x = cubeRoot((0.4360747 * r + 0.3850649 * g + 0.1430804 * b) / 0.96422);
  const y = cubeRoot(0.2225045 * r + 0.7168786 * g + 0.0606169 * b);
  const z = cubeRoot((0.0139322 * r + 0.0971045 * g + 0.7141733 * b) / 0.82521);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const difference = (one: Rgb, other: Rgb): number =>
  Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);

const rgbOf = (hex: string): Rgb => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;

/** Returns the share of the ink that is not seen on each color, in the order of the colors. */
export function unseenShares(ink: Ink, colors: readonly ClothColor[]): number[] {
  const cloths = colors.map(({ rgb }) => labOf(rgbOf(rgb)));
  const counts = colors.map(() => 0);
  for (const { rgb, count } of colorsOf(ink)) {
    const lab = labOf(rgb);
    for (const [index, cloth] of cloths.entries())
      if (difference(lab, cloth) < maxUnseenDifference) counts[index]! += count;
  }
  return counts.map((count) => count / ink.count);
}

/**
 * Returns the share of the ink that is printed in another color.
 *
 * @param cmykProfile path of the ICC profile of the printer
 */
export async function otherColorShare(ink: Ink, cmykProfile: string): Promise<number> {
  const colors = [...colorsOf(ink)];
  const data = Buffer.from(colors.flatMap(({ rgb }) => [...rgb, 255]));
  const level = { edge: colors.length, width: colors.length, height: 1, aspect: colors.length, data };
  const { data: printed } = await softProof(level, cmykProfile);
  const others = colors.filter(({ rgb }, index) => {
    const [red, green, blue] = printed.subarray(4 * index, 4 * index + 3) as unknown as Rgb;
    return difference(labOf(rgb), labOf([red, green, blue])) >= minOtherColor;
  });
  return others.reduce((sum, { count }) => sum + count, 0) / ink.count;
}
