/** Color of CIELAB under D50, relative to the paper. */
type Lab = readonly [lightness: number, a: number, b: number];

/** Curve of a profile: values from 0 to 1 at equal distances. */
type Curve = Float64Array;

/**
 * `A2B1` of a CMYK profile: a curve for each ink, a grid of colors, a curve for each coordinate.
 */
interface InkTable {
  readonly inks: readonly Curve[];
  /** Nodes along each axis. Black is the innermost axis. */
  readonly size: number;
  readonly nodes: Float64Array;
  readonly coordinates: readonly Curve[];
}

/** Returns the bytes of a tag of a profile (ICC.1:2001-04, 6.2). */
function tagOf(profile: Buffer, signature: string): Buffer {
  const count = profile.readUInt32BE(128);
  for (let entry = 132; entry < 132 + 12 * count; entry += 12) {
    if (profile.toString('latin1', entry, entry + 4) !== signature) continue;
    const offset = profile.readUInt32BE(entry + 4);
    return profile.subarray(offset, offset + profile.readUInt32BE(entry + 8));
  }
  throw new Error(`the profile has no ${signature}`);
}

/** Reads a table of the type lut16Type (ICC.1:2001-04, 6.5.8). */
function readTable(tag: Buffer): InkTable {
  const [type, inputs, outputs, size] = [tag.toString('latin1', 0, 4), tag[8], tag[9], tag[10]!];
  if (type !== 'mft2' || inputs !== 4 || outputs !== 3) throw new Error('the profile has no 16 bit table of CMYK');
  const [inputEntries, outputEntries] = [tag.readUInt16BE(48), tag.readUInt16BE(50)];
  let offset = 52;
  const read = (count: number): Float64Array => {
    const values = Float64Array.from({ length: count }, (_, i) => tag.readUInt16BE(offset + 2 * i) / 65_535);
    offset += 2 * count;
    return values;
  };
  return {
    inks: Array.from({ length: 4 }, () => read(inputEntries)),
    size,
    nodes: read(3 * size ** 4),
    coordinates: Array.from({ length: 3 }, () => read(outputEntries)),
  };
}

interface Place {
  /** Node below a position. */
  readonly index: number;
  /** Part of the way to the next node. */
  readonly part: number;
}

/** @param position from 0 to 1 */
function placeOf(position: number, nodes: number): Place {
  const at = position * (nodes - 1);
  const index = Math.min(nodes - 2, Math.floor(at));
  return { index, part: at - index };
}

function valueAt(curve: Curve, position: number): number {
  const { index, part } = placeOf(position, curve.length);
  return curve[index]! * (1 - part) + curve[index + 1]! * part;
}

/**
 * Returns a function that computes the color of ink by a CMYK profile: the relative colorimetric
 * intent, interpolated along all four axes. sharp converts CMYK only in files that contain a
 * profile.
 *
 * @param profile bytes of a profile of version 2, with the table `A2B1` of 16 bits to CIELAB
 */
export function inkColors(profile: Buffer): (ink: Uint8Array) => Lab {
  const { inks, size, nodes, coordinates } = readTable(tagOf(profile, 'A2B1'));
  const places = inks.map((curve) =>
    Array.from({ length: 256 }, (_, byte) => placeOf(valueAt(curve, byte / 255), size)),
  );
  const mean = new Float64Array(3);
  return (ink) => {
    mean.fill(0);
    for (let corner = 0; corner < 16; corner++) {
      let weight = 1;
      let node = 0;
      for (let axis = 0; axis < 4 && weight > 0; axis++) {
        const { index, part } = places[axis]![ink[axis]!]!;
        const next = (corner >> axis) & 1;
        weight *= next === 1 ? part : 1 - part;
        node = node * size + index + next;
      }
      if (weight === 0) continue;
      for (let c = 0; c < 3; c++) mean[c]! += weight * nodes[3 * node + c]!;
    }
    const [l, a, b] = coordinates.map((curve, c) => 65_535 * valueAt(curve, mean[c]!)) as [number, number, number];
    // The 16 bit encoding of version 2: 0xff00 is a lightness of 100
    return [(100 * l) / 65_280, a / 256 - 128, b / 256 - 128];
  };
}

/** XYZ of D50 to linear sRGB, with the white of D65 adapted by Bradford. */
const fromXyz = [
  [3.1338561, -1.6168667, -0.4906146],
  [-0.9787684, 1.9161415, 0.033454],
  [0.0719453, -0.2289914, 1.4052427],
] as const;
const d50 = [0.96422, 1, 0.82521] as const;

const cubed = (t: number): number => (t > 6 / 29 ? t ** 3 : 3 * (6 / 29) ** 2 * (t - 4 / 29));

/** Returns red, green and blue of sRGB from 0 to 255. Colors outside of sRGB are clipped. */
export function srgbOf([lightness, a, b]: Lab): number[] {
  const y = (lightness + 16) / 116;
  const xyz = [y + a / 500, y, y - b / 200].map((t, i) => cubed(t) * d50[i]!);
  return fromXyz.map((row) => {
    const linear = Math.min(1, Math.max(0, row[0] * xyz[0]! + row[1] * xyz[1]! + row[2] * xyz[2]!));
    return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055);
  });
}
