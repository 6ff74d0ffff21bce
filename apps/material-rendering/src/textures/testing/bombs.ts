import { deflateSync } from 'node:zlib';
import { claimAvifSize } from './avif.js';
import { latin1 } from './bytes.js';
import { flatGif } from './gif.js';
import { cases, damaged, flat, notDecoded, red, tooLarge } from './hostile-image.js';
import { flatJpeg, manyScansJpeg } from './jpeg.js';
import { flatPng, pngChunk } from './png.js';
import { claimWebpSize, flatWebp } from './webp.js';

const opaque = [200, 30, 60, 255];

let inflatesTo200Mb: Buffer | undefined;
/** Compressed data that inflates to 200 MB; created once. */
const compressedZeros = (): Buffer => (inflatesTo200Mb ??= deflateSync(Buffer.alloc(200e6), { level: 1 }));
const pngWith = (...beforePixels: Buffer[]): Promise<Buffer> =>
  flatPng({ width: 40, height: 30, depth: 8, color: [255, 0, 0], beforePixels });
const text = (type: string, head: string, packed: Buffer): Buffer =>
  pngChunk(type, Buffer.concat([latin1(head), packed]));

/** Small files that are expensive to decode, at the limits and beyond them. */
export const bombs = cases([
  [
    'PNG of 7071x7071',
    () => flatPng({ width: 7071, height: 7071, depth: 8, color: opaque }),
    { format: 'png', width: 7071, color: '#c81e3c' },
  ],
  [
    'PNG of 7000x7000, 16 bit, interlaced: the most expensive accepted image',
    () => flatPng({ width: 7000, height: 7000, depth: 16, color: opaque, interlaced: true }),
    { format: 'png', width: 7000, color: '#c81e3c' },
  ],
  [
    'PNG of 7072x7072',
    () => flatPng({ width: 7072, height: 7072, depth: 8, color: opaque }),
    tooLarge(/50 million pixels/),
  ],
  [
    'PNG with a profile of 200 MB',
    () => pngWith(text('iCCP', 'x\0\0', compressedZeros())),
    { format: 'png', color: red },
  ],
  ['PNG with zTXt of 200 MB', () => pngWith(text('zTXt', 'x\0\0', compressedZeros())), { format: 'png', color: red }],
  [
    'PNG with iTXt of 200 MB',
    () => pngWith(text('iTXt', 'x\0\x01\0\0\0', compressedZeros())),
    { format: 'png', color: red },
  ],
  [
    'PNG with XMP of 200 MB',
    () => pngWith(text('iTXt', 'XML:com.adobe.xmp\0\x01\0\0\0', compressedZeros())),
    { format: 'png', color: red },
  ],
  [
    'PNG with 200 texts of 7.9 MB',
    () => pngWith(...Array<Buffer>(200).fill(text('zTXt', 'x\0\0', deflateSync(Buffer.alloc(7.9e6))))),
    notDecoded(/200 compressed texts and profiles; at most 8 are allowed/),
  ],
  [
    'PNG with 8 texts of 7.9 MB, the accepted maximum',
    () => pngWith(...Array<Buffer>(8).fill(text('iTXt', 'x\0\x01\0\0\0', deflateSync(Buffer.alloc(7.9e6, 'x'))))),
    { format: 'png', color: red },
  ],
  [
    'PNG with 5 MB of compressed text',
    () => pngWith(text('zTXt', 'x\0\0', Buffer.alloc(5 * 1024 * 1024))),
    notDecoded(/5242883 bytes of compressed texts and profiles/),
  ],
  [
    'JPEG of 7071x7071',
    () => flatJpeg({ width: 7071, height: 7071, samples: [77] }),
    { format: 'jpeg', width: 7071, color: '#4d4d4d' },
  ],
  [
    'JPEG of 16384x16384',
    () => flatJpeg({ width: 16_384, height: 16_384, samples: [77] }),
    tooLarge(/50 million pixels/),
  ],
  [
    'progressive JPEG of 48 megapixels',
    () => manyScansJpeg(20),
    { format: 'jpeg', width: 16_384, height: 2_944, color: '#808080' },
  ],
  [
    'JPEG whose markers are slow to count',
    () => Buffer.concat([manyScansJpeg(101).subarray(0, -2), Buffer.alloc(19 * 1024 * 1024, 0xff)]),
    tooLarge(/101 scans/),
  ],
  ['JPEG of 883 scans', () => manyScansJpeg(883), tooLarge(/883 scans; at most 100 are allowed/)],
  ['WebP of 7071x7071 in 36 bytes', () => flatWebp(7071, 7071), { format: 'webp', width: 7071, color: red }],
  ['WebP of 7072x7072', () => flatWebp(7072, 7072), tooLarge(/50 million pixels/)],
  ['WebP of 16383x16383', () => flatWebp(16_383, 16_383), tooLarge(/too much memory|50 million/)],
  ['WebP that claims 16777216x1', () => claimWebpSize(16_777_216, 1), damaged],
  ['WebP that claims more than it has', () => claimWebpSize(7071, 7071), damaged],
  [
    'AVIF of 4000x4000 with alpha',
    () => flat('avif', '#ff000080', 4000, 4000),
    { format: 'avif', width: 4000, color: red, off: 4 },
  ],
  [
    'AVIF of 4001x4000',
    async () => claimAvifSize(await flat('avif'), 4001, 4000),
    tooLarge(/4001 x 4000 pixels; at most 16 million are allowed/),
  ],
  ['AVIF of 65535x65535', async () => claimAvifSize(await flat('avif'), 65_535, 65_535), tooLarge(/16 million pixels/)],
  ['AVIF that claims more than it has', async () => claimAvifSize(await flat('avif'), 4000, 4000), damaged],
  [
    'AVIF that claims less than it has',
    async () => claimAvifSize(await flat('avif', red, 2000, 2000), 20, 20),
    tooLarge(/it has more pixels than its header declares/),
  ],
  [
    'GIF of 7071x7071',
    () => flatGif({ screen: [7071, 7071], frames: [{ width: 7071, height: 7071, color: 1 }] }),
    { format: 'gif', width: 7071, color: red },
  ],
  [
    'GIF of 60 frames of 4000x4000',
    () =>
      flatGif({
        screen: [4000, 4000],
        frames: Array.from({ length: 60 }, () => ({ width: 4000, height: 4000, color: 1 })),
      }),
    { format: 'gif', width: 4000, color: red },
  ],
  [
    'GIF of 16384x16384',
    () => flatGif({ screen: [16_384, 16_384], frames: [{ width: 16_384, height: 16_384, color: 1 }] }),
    tooLarge(/50 million pixels/),
  ],
  [
    'GIF whose frame is smaller than its screen of 65535x65535',
    () => flatGif({ screen: [65_535, 65_535], frames: [{ width: 9, height: 9, color: 1 }] }),
    { format: 'gif', width: 9, color: red },
  ],
  [
    'GIF of 1x1 with a frame of 16384x4000',
    () => flatGif({ screen: [1, 1], frames: [{ width: 16_384, height: 4000, color: 1 }] }),
    tooLarge(/50 million pixels/),
  ],
  [
    'GIF with a small frame and a huge one',
    () =>
      flatGif({
        screen: [9, 9],
        frames: [
          { width: 9, height: 9, color: 1 },
          { width: 65_535, height: 4000, color: 1 },
        ],
      }),
    { format: 'gif', width: 9, color: red },
  ],
]);
