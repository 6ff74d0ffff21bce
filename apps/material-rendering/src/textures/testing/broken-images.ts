import type { Texture } from '#contracts';
import { claimAvifSize } from './avif.js';
import { flatGif } from './gif.js';
import { cases, damaged, flat, red, tooLarge } from './hostile-image.js';
import { flatJpeg } from './jpeg.js';
import { flatPng, pngChunk } from './png.js';
import { testImage } from './test-images.js';

const opaque = [200, 30, 60, 255];
const formats = ['png', 'jpeg', 'webp', 'avif', 'gif'] as const;

/** Images of extreme sizes. */
export const extremes = cases([
  [
    'PNG of 16384x1',
    () => flatPng({ width: 16_384, height: 1, depth: 8, color: opaque }),
    { format: 'png', width: 16_384, height: 1 },
  ],
  [
    'PNG of 1x16384',
    () => flatPng({ width: 1, height: 16_384, depth: 8, color: opaque }),
    { format: 'png', width: 1, height: 16_384 },
  ],
  [
    'PNG of 16385x1',
    () => flatPng({ width: 16_385, height: 1, depth: 8, color: opaque }),
    tooLarge(/16385 x 1 pixels; a side may have at most 16384/),
  ],
  [
    'PNG of 16000000x1',
    () => flatPng({ width: 16_000_000, height: 1, depth: 8, color: opaque }),
    tooLarge(/16000000 x 1 /),
  ],
  ['JPEG of 1x16385', () => flatJpeg({ width: 1, height: 16_385, samples: [77] }), tooLarge(/1 x 16385 /)],
  ['JPEG of 1x65535', () => flatJpeg({ width: 1, height: 65_535, samples: [77] }), damaged],
  ['PNG of 2147483647x2147483647', () => pngSized(0x7fffffff), damaged],
  ['PNG of 4294967295x4294967295', () => pngSized(0xffffffff), damaged],
  ['PNG of width 0', () => flatPng({ width: 0, height: 10, depth: 8, color: opaque }), damaged],
  ['JPEG of height 0', () => flatJpeg({ width: 10, height: 0, samples: [77] }), damaged],
  ['AVIF of width 0', async () => claimAvifSize(await flat('avif'), 0, 48), damaged],
  ['GIF without a frame', () => flatGif({ screen: [10, 10], frames: [] }), damaged],
  ...formats.map(
    (format) =>
      [`${format} of 1x1`, () => flat(format, red, 1, 1), { format, width: 1, height: 1, color: red, off: 4 }] as const,
  ),
  ['0 bytes', () => Buffer.alloc(0), { code: 'texture.empty', because: /image is empty/ }],
  ['20 MB and a byte', () => Buffer.alloc(20 * 1024 * 1024 + 1), tooLarge(/more than 20 MB/)],
]);

async function pngSized(side: number): Promise<Buffer> {
  const small = await flatPng({ width: 1, height: 1, depth: 8, color: opaque });
  const header = Buffer.from(small.subarray(16, 29));
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  return Buffer.concat([small.subarray(0, 8), pngChunk('IHDR', header), small.subarray(33)]);
}

const cuts = {
  'to 98 %': (whole: Buffer) => whole.subarray(0, Math.floor(whole.length * 0.98)),
  'in half': (whole: Buffer) => whole.subarray(0, whole.length / 2),
  'to 5 %': (whole: Buffer) => whole.subarray(0, whole.length / 20),
  'to its first 16 bytes': (whole: Buffer) => whole.subarray(0, 16),
};
/**
 * Number of bytes to cut off at the end. The end marker of a JPEG has two bytes, and the decoder
 * notices a missing one only when it reads beyond the last pixel: 32 of 400 images of noise were
 * accepted without it. None was accepted without a byte of pixels.
 */
const end = { jpeg: 3, png: 1, webp: 1, gif: 1, avif: 1 } as const satisfies Record<Texture['format'], number>;
const withoutEnd = async (format: Texture['format']): Promise<Buffer> =>
  (await grainy(format)).subarray(0, -end[format]);
/** One image of each format for all cuts: a GIF of noise is slow to create. */
const grains = new Map<Texture['format'], Promise<Buffer>>();
function grainy(format: Texture['format']): Promise<Buffer> {
  const grain = grains.get(format) ?? testImage({ format, width: 120, height: 80, noise: true });
  grains.set(format, grain);
  return grain;
}

/**
 * Truncated files. A PNG or GIF with only its last byte cut off is accepted, because the end marker
 * follows the last pixel.
 */
export const truncated = cases([
  ...formats.flatMap((format) =>
    Object.entries(cuts).map(
      ([how, cut]) => [`${format} cut ${how}`, async () => cut(await grainy(format)), damaged] as const,
    ),
  ),
  ...formats.map((format) => {
    const outcome = format === 'png' || format === 'gif' ? { format, width: 120, height: 80 } : damaged;
    return [`${format} cut before its end`, () => withoutEnd(format), outcome] as const;
  }),
]);
