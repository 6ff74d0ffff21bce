import { type PrintRaster, rowsPerBand } from './raster.js';
import { type Sink } from './sink.js';

const types = { short: 3, long: 4, rational: 5, undefined: 7 } as const;
const sizes = { short: 2, long: 4, rational: 8, undefined: 1 } as const;

type Tag = readonly [id: number, type: keyof typeof types, values: readonly number[] | Uint8Array];

const uncompressed = 1;
const [rgb, cmyk] = [2, 5];
const straightAlpha = 2;
const inches = 2;

function bytesOf([, type, values]: Tag): Buffer {
  if (values instanceof Uint8Array) return Buffer.from(values);
  const bytes = Buffer.alloc(values.length * sizes[type]);
  values.forEach((value, index) => {
    const at = index * sizes[type];
    if (type === 'short') bytes.writeUInt16LE(value, at);
    else bytes.writeUInt32LE(type === 'rational' ? Math.round(value * 1_000) : value, at);
    if (type === 'rational') bytes.writeUInt32LE(1_000, at + 4);
  });
  return bytes;
}

/** Returns the header and the directory of a file with these tags, in ascending order. */
function headOf(tags: readonly Tag[]): Buffer {
  const start = 8;
  const directory = Buffer.alloc(2 + 12 * tags.length + 4);
  directory.writeUInt16LE(tags.length);
  const extra: Buffer[] = [];
  let end = start + directory.length;
  tags.forEach((tag, index) => {
    const [id, type, values] = tag;
    const entry = 2 + 12 * index;
    const bytes = bytesOf(tag);
    directory.writeUInt16LE(id, entry);
    directory.writeUInt16LE(types[type], entry + 2);
    directory.writeUInt32LE(values.length, entry + 4);
    if (bytes.length <= 4) {
      bytes.copy(directory, entry + 8);
      return;
    }
    directory.writeUInt32LE(end, entry + 8);
    const padded = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)]);
    extra.push(padded);
    end += padded.length;
  });
  const header = Buffer.from([0x49, 0x49, 42, 0, start, 0, 0, 0]);
  return Buffer.concat([header, directory, ...extra]);
}

/**
 * Writes a TIFF of RGB with alpha, or of CMYK, with its ICC profile and resolution. It is not
 * compressed: the places of all strips are in its head, so that it is written as a stream, and
 * compression would take twice the time of the raster.
 *
 * @param profile ICC profile of the color space
 */
export async function writeTiff(raster: PrintRaster, profile: Uint8Array, sink: Sink): Promise<void> {
  const { width, height, dpi, colorSpace } = raster;
  const strips = Array.from({ length: Math.ceil(height / rowsPerBand) }, (_, index) => index * rowsPerBand);
  const lengths = strips.map((top) => 4 * width * Math.min(rowsPerBand, height - top));
  const tags = (offset: number): Tag[] => [
    [256, 'long', [width]],
    [257, 'long', [height]],
    [258, 'short', [8, 8, 8, 8]],
    [259, 'short', [uncompressed]],
    [262, 'short', [colorSpace === 'cmyk' ? cmyk : rgb]],
    [273, 'long', strips.map((top) => offset + 4 * width * top)],
    [274, 'short', [1]],
    [277, 'short', [4]],
    [278, 'long', [rowsPerBand]],
    [279, 'long', lengths],
    [282, 'rational', [dpi]],
    [283, 'rational', [dpi]],
    [284, 'short', [1]],
    [296, 'short', [inches]],
    colorSpace === 'cmyk' ? [332, 'short', [1]] : [338, 'short', [straightAlpha]],
    [34_675, 'undefined', profile],
  ];
  await sink(headOf(tags(headOf(tags(0)).length)));
  for (const band of raster.bands()) await sink(band);
}
