import { sharp } from '../sharp.js';

/** Distance of the nodes of the table: a divisor of 255, so that black and white are nodes. */
const step = 5;
const nodes = 255 / step + 1;

/**
 * Ink of a CMYK profile for colors of sRGB: 52 nodes along each of red, green and blue, four bytes
 * each. Between nodes it is interpolated, which takes a twentieth of the time of the profile.
 */
type CmykTable = Uint8Array;

const tables = new Map<string, Promise<CmykTable>>();

/**
 * Returns the table of a profile, which is computed once (50 ms). The rendering intent is that of
 * sharp: perceptual, without black point compensation, because perceptual tables map black to
 * black.
 *
 * @param profile path of the ICC profile
 */
export function cmykTable(profile: string): Promise<CmykTable> {
  const known = tables.get(profile);
  if (known) return known;
  const table = computeTable(profile);
  tables.set(profile, table);
  return table;
}

async function computeTable(profile: string): Promise<CmykTable> {
  const rgb = Buffer.alloc(3 * nodes ** 3);
  for (let i = 0; i < nodes ** 3; i++) {
    rgb[3 * i] = step * Math.floor(i / nodes ** 2);
    rgb[3 * i + 1] = step * (Math.floor(i / nodes) % nodes);
    rgb[3 * i + 2] = step * (i % nodes);
  }
  // With `toColourspace('cmyk')` sharp would first convert to the CMYK of another profile
  const { data, info } = await sharp(rgb, { raw: { width: nodes, height: nodes ** 2, channels: 3 } })
    .withIccProfile(profile, { attach: false })
    .raw()
    .toBuffer({ resolveWithObject: true });
  // sharp ignores invalid profiles
  if (info.channels !== 4) throw new Error(`${profile} is not a CMYK profile`);
  return data;
}

const perRed = 4 * nodes ** 2;
const perGreen = 4 * nodes;
const perBlue = 4;

/**
 * Converts RGBA bytes to the CMYK of their ink on white paper, in place. Interpolates between the
 * four corners of the tetrahedron around a color, so that greys have the ink of greys.
 */
export function toInk(data: Uint8Array, table: CmykTable): void {
  for (let i = 0; i < data.length; i += 4) {
    const red = data[i]!;
    const green = data[i + 1]!;
    const blue = data[i + 2]!;
    const r = (red / step) | 0;
    const g = (green / step) | 0;
    const b = (blue / step) | 0;
    const fr = red - step * r;
    const fg = green - step * g;
    const fb = blue - step * b;
    const low = perRed * r + perGreen * g + perBlue * b;
    const dr = fr && perRed;
    const dg = fg && perGreen;
    const db = fb && perBlue;
    // From the low corner to the high one along the axes, the largest fraction first
    let one: number;
    let two: number;
    if (fr >= fg) {
      one = low + (fb > fr ? db : dr);
      two = low + dr + (fb > fg ? db : dg);
    } else {
      one = low + (fb > fg ? db : dg);
      two = low + dg + (fb > fr ? db : dr);
    }
    const high = low + dr + dg + db;
    const most = fr > fg ? (fr > fb ? fr : fb) : fg > fb ? fg : fb;
    const least = fr < fg ? (fr < fb ? fr : fb) : fg < fb ? fg : fb;
    const middle = fr + fg + fb - most - least;
    const cover = data[i + 3]! / (255 * step);
    const w0 = (step - most) * cover;
    const w1 = (most - middle) * cover;
    const w2 = (middle - least) * cover;
    const w3 = least * cover;
    for (let c = 0; c < 4; c++)
      data[i + c] = table[low + c]! * w0 + table[one + c]! * w1 + table[two + c]! * w2 + table[high + c]! * w3 + 0.5;
  }
}
