/** Distance of the nodes of a table: a divisor of 255, so that black and white are nodes. */
export const nodeStep = 5;
export const nodesPerAxis = 255 / nodeStep + 1;

/**
 * Four bytes for colors of sRGB: 52 nodes along each of red, green and blue. Between nodes they are
 * interpolated, which takes a twentieth of the time of a profile.
 */
export type ColorTable = Uint8Array;

const perRed = 4 * nodesPerAxis ** 2;
const perGreen = 4 * nodesPerAxis;
const perBlue = 4;

/**
 * Replaces the colors of RGBA bytes by those of a table, multiplied by alpha: of CMYK that is the
 * ink on white paper. Interpolates between the four corners of the tetrahedron around a color, so
 * that greys have the colors of greys.
 */
export function convertColors(data: Uint8Array, table: ColorTable): void {
  for (let i = 0; i < data.length; i += 4) {
    const red = data[i]!;
    const green = data[i + 1]!;
    const blue = data[i + 2]!;
    const r = (red / nodeStep) | 0;
    const g = (green / nodeStep) | 0;
    const b = (blue / nodeStep) | 0;
    const fr = red - nodeStep * r;
    const fg = green - nodeStep * g;
    const fb = blue - nodeStep * b;
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
    const cover = data[i + 3]! / (255 * nodeStep);
    const w0 = (nodeStep - most) * cover;
    const w1 = (most - middle) * cover;
    const w2 = (middle - least) * cover;
    const w3 = least * cover;
    for (let c = 0; c < 4; c++)
      data[i + c] = table[low + c]! * w0 + table[one + c]! * w1 + table[two + c]! * w2 + table[high + c]! * w3 + 0.5;
  }
}
