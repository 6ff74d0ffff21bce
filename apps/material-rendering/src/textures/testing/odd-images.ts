import type { Texture } from '#contracts';
import { sharp } from '#images';
import { avifSequence } from './avif.js';
import { latin1, uint16, uint32 } from './bytes.js';
import { flatGif } from './gif.js';
import { type AcceptedOutcome, blue, cases, flat, red } from './hostile-image.js';
import { flatJpeg } from './jpeg.js';
import { flatPng, pngChunk } from './png.js';

const small = (format: Texture['format'], color: string | null = red, off = 3): AcceptedOutcome => {
  return { format, width: 64, height: 48, color, off, animated: false };
};
const painted = (color = '#c83232') => sharp({ create: { width: 64, height: 48, channels: 4, background: color } });

const frameControl = (sequence: number): Buffer =>
  pngChunk('fcTL', Buffer.concat([uint32(sequence, 64, 48, 0, 0), uint16(1, 10), Buffer.alloc(2)]));

async function animatedPng(): Promise<Buffer> {
  const second = await flatPng({ width: 64, height: 48, depth: 8, color: [0, 0, 255] });
  const at = second.indexOf('IDAT', 0, 'latin1');
  const pixels = second.subarray(at + 4, at + 4 + second.readUInt32BE(at - 4));
  const beforePixels = [pngChunk('acTL', uint32(2, 0)), frameControl(0)];
  const afterPixels = [frameControl(1), pngChunk('fdAT', Buffer.concat([uint32(2), pixels]))];
  return flatPng({ width: 64, height: 48, depth: 8, color: [255, 0, 0], beforePixels, afterPixels });
}

/** Animations, of which the first frame is used. */
export const animated = cases([
  [
    'GIF',
    () => flatGif({ screen: [64, 48], frames: [1, 3].map((color) => ({ width: 64, height: 48, color })) }),
    { ...small('gif'), animated: true },
  ],
  [
    'WebP',
    async () =>
      sharp([await flat('png'), await flat('png', blue)], { join: { animated: true } })
        .webp()
        .toBuffer(),
    { ...small('webp'), animated: true },
  ],
  [
    'AVIF',
    async () => avifSequence(await flat('avif'), await flat('avif', blue)),
    { ...small('avif'), animated: true },
  ],
  ['PNG', animatedPng, { ...small('png'), animated: true }],
]);

/**
 * Images with unusual color encodings. CMYK is read as Adobe writes it; its colors are
 * approximate.
 */
export const colors = cases([
  ['grey PNG', () => painted('#646464').removeAlpha().toColourspace('b-w').png().toBuffer(), small('png', '#646464')],
  ['grey PNG with alpha', () => painted('#64646480').toColourspace('b-w').png().toBuffer(), small('png', '#646464')],
  ['grey JPEG', () => flatJpeg({ width: 64, height: 48, samples: [100] }), small('jpeg', '#646464')],
  ['PNG with a palette', () => painted().removeAlpha().png({ palette: true }).toBuffer(), small('png', '#c83232')],
  [
    'PNG with a palette and alpha',
    () => painted('#c8323280').png({ palette: true }).toBuffer(),
    small('png', '#c83232'),
  ],
  ['PNG of 16 bit', () => painted().toColourspace('rgb16').png().toBuffer(), small('png', '#c83232')],
  [
    'PNG of 16 bit with alpha',
    () => flatPng({ width: 64, height: 48, depth: 16, color: [200, 50, 50, 99] }),
    small('png', '#c83232'),
  ],
  ['PNG that is transparent', () => painted('#ff000000').png().toBuffer(), small('png', null)],
  ['WebP that is transparent', () => painted('#ff000000').webp().toBuffer(), small('webp', null)],
  ['PNG with the profile of P3', () => painted().withIccProfile('p3').png().toBuffer(), small('png', '#c83232')],
  ['JPEG with the profile of P3', () => painted().withIccProfile('p3').jpeg().toBuffer(), small('jpeg', '#c83232', 4)],
  ['CMYK with a profile', () => painted().withIccProfile('cmyk').jpeg().toBuffer(), small('jpeg', '#c83232', 20)],
  [
    'CMYK without a profile',
    () => flatJpeg({ width: 64, height: 48, samples: [255, 0, 0, 255] }),
    small('jpeg', red, 26),
  ],
  [
    'CMYK as Adobe inverts it',
    () => flatJpeg({ width: 64, height: 48, samples: [255, 0, 0, 255], adobeTransform: 0 }),
    small('jpeg', red, 26),
  ],
  [
    'CMYK as YCCK',
    () => flatJpeg({ width: 64, height: 48, samples: [179, 171, 1, 255], adobeTransform: 2 }),
    small('jpeg', red, 26),
  ],
  [
    'JPEG with a broken profile',
    async () => withSegment(await flat('jpeg'), `ICC_PROFILE\0\x01\x01no profile`),
    small('jpeg'),
  ],
]);

const withSegment = (jpeg: Buffer, data: string): Buffer =>
  Buffer.concat([jpeg.subarray(0, 2), latin1('\xff\xe2'), uint16(data.length + 2), latin1(data), jpeg.subarray(2)]);
