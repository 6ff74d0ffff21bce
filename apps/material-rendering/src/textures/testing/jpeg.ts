import { latin1, uint16 } from './bytes.js';

const segment = (marker: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xff, marker]), uint16(data.length + 2), data]);

/** Returns a Huffman table of a JPEG with codes of one length. */
const codesOf = (place: number, length: number, symbols: readonly number[]): Buffer => {
  const counts = Buffer.alloc(16);
  counts[length - 1] = symbols.length;
  return segment(0xc4, Buffer.concat([Buffer.from([place]), counts, Buffer.from(symbols)]));
};

const frameOf = (marker: number, width: number, height: number, components: number): Buffer => {
  const parts = Array.from({ length: components }, (_, index) => [index + 1, 0x11, 0]).flat();
  return segment(marker, Buffer.concat([Buffer.from([8]), uint16(height, width), Buffer.from([components, ...parts])]));
};

const quantizers = segment(0xdb, Buffer.concat([Buffer.alloc(1), Buffer.alloc(64, 1)]));
const [startOfJpeg, endOfJpeg] = [latin1('\xff\xd8'), latin1('\xff\xd9')];

interface FlatJpeg {
  readonly width: number;
  readonly height: number;
  /** Value of each component: one is grey, four are CMYK as stored in the file. */
  readonly samples: readonly number[];
  /** Adobe's marker: CMYK is stored inverted (transform 0) or as YCCK (2). */
  readonly adobeTransform?: number;
}

/**
 * Returns a baseline JPEG of one color: each block stores its difference from the previous one, 0.
 */
export function flatJpeg({ width, height, samples, adobeTransform }: FlatJpeg): Buffer {
  const first = samples.map((sample) => {
    const value = 8 * (sample - 128);
    const size = 32 - Math.clz32(Math.abs(value));
    const bits = value < 0 ? value + (1 << size) - 1 : value;
    return size.toString(2).padStart(4, '0') + (size > 0 ? bits.toString(2).padStart(size, '0') : '') + '0';
  });
  const start = first.join('');
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8) - 1;
  const bits = start.length + blocks * samples.length * 5;
  const padded = start.padEnd(Math.ceil(start.length / 8) * 8, bits > start.length ? '0' : '1');
  const head = padded.match(/.{8}/g)!.flatMap((byte) => (byte === '11111111' ? [255, 0] : [parseInt(byte, 2)]));
  const scan = samples.flatMap((_, index) => [index + 1, 0]);
  return Buffer.concat([
    startOfJpeg,
    adobeTransform === undefined
      ? Buffer.alloc(0)
      : segment(0xee, latin1(`Adobe\0\x64\0\0\0\0${String.fromCharCode(adobeTransform)}`)),
    quantizers,
    frameOf(0xc0, width, height, samples.length),
    codesOf(0x00, 4, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    codesOf(0x10, 1, [0]),
    segment(0xda, Buffer.from([samples.length, ...scan, 0, 63, 0])),
    Buffer.from(head),
    Buffer.alloc(Math.ceil(bits / 8) - padded.length / 8),
    endOfJpeg,
  ]);
}

/**
 * Returns a progressive grey JPEG of 16384 x 2944 pixels, 753,664 blocks, with up to 883 scans. A
 * scan contains only zero coefficients: 46 codes for runs of 16,384 blocks, all of zero bits, are
 * 87 bytes and make the decoder process all blocks.
 */
export function manyScansJpeg(scans: number): Buffer {
  const blocks = 753_664;
  const refinements = Array.from({ length: scans - 1 }, (_, index) => {
    const [coefficient, step] = [1 + Math.floor(index / 14), index % 14];
    const bits = step === 0 ? 13 : ((14 - step) << 4) | (13 - step);
    return Buffer.concat([segment(0xda, Buffer.from([1, 1, 0, coefficient, coefficient, bits])), Buffer.alloc(87)]);
  });
  return Buffer.concat([
    startOfJpeg,
    quantizers,
    frameOf(0xc2, 16_384, 2_944, 1),
    codesOf(0x00, 1, [0]),
    codesOf(0x10, 1, [0xe0]),
    segment(0xda, Buffer.from([1, 1, 0, 0, 0, 0])),
    Buffer.alloc(blocks / 8),
    ...refinements,
    endOfJpeg,
  ]);
}
