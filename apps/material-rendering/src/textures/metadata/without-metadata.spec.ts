import { deflateSync } from 'node:zlib';
import { decodeLevel } from '#rendering/level.js';
import { openTexture, sharp } from '#images';
import { testImage } from '../testing/test-images.js';
import type { TextureFormat } from '../texture.rules.js';
import { avifSequence } from '../testing/avif.js';
import { latin1, uint16 } from '../testing/bytes.js';
import { flatGif } from '../testing/gif.js';
import { flatPng, pngChunk } from '../testing/png.js';
import { assemble, maxParts, TooManyParts } from './stored-parts.js';
import { withoutMetadata } from './without-metadata.js';

const formats = ['png', 'jpeg', 'webp', 'avif', 'gif'] as const;
/** Written to every place for metadata in a file. */
const secret = 'at-home';

/**
 * Returns an image with the metadata that an encoder writes: EXIF with a location, XMP, ICC
 * profile.
 */
async function described(format: TextureFormat, orientation?: number): Promise<Buffer> {
  const grain = await testImage({ format: 'png', width: 60, height: 40, noise: true });
  const image = sharp(grain)
    .withIccProfile('p3')
    .withExif({ IFD0: { ImageDescription: secret }, IFD3: { GPSLatitude: '35/1 1/1 2/1', GPSMapDatum: secret } })
    .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><a>${secret}</a></x:xmpmeta>`);
  return (orientation === undefined ? image : image.withMetadata({ orientation, icc: 'p3' }))
    .toFormat(format, format === 'avif' ? { effort: 0 } : {})
    .toBuffer();
}

const segment = (marker: number, data: string): Buffer =>
  Buffer.concat([Buffer.from([0xff, marker]), uint16(data.length + 2), latin1(data)]);
const after = (file: Buffer, at: number, ...pieces: readonly Buffer[]): Buffer =>
  Buffer.concat([file.subarray(0, at), ...pieces, file.subarray(at)]);
const gifBlocks = (head: string, ...blocks: readonly string[]): Buffer =>
  latin1(head + blocks.map((it) => String.fromCharCode(it.length) + it).join('') + '\0');
const webpChunk = (file: Buffer, type: string, data: string): Buffer => {
  const chunk = Buffer.concat([latin1(type), uint16(data.length, 0), latin1(data)]);
  chunk.subarray(4, 6).swap16();
  const whole = Buffer.concat([file, chunk]);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
};

/**
 * Functions that create an image of each format with metadata in all places where programs write
 * it. sharp alone uses only some of them.
 */
const everywhere: Readonly<Record<TextureFormat, (orientation?: number) => Promise<Buffer>>> = {
  jpeg: async (orientation) =>
    Buffer.concat([
      after(
        await described('jpeg', orientation),
        2,
        segment(0xe0, `JFXX\0\x10${secret}`),
        segment(0xe1, `http://ns.adobe.com/xap/1.0/\0${secret}`),
        segment(0xe2, `MPF\0${secret}`),
        segment(0xed, `Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x08${secret}!`),
        segment(0xfe, secret),
      ),
      // A second image, as from a camera with two lenses
      await described('jpeg'),
    ]),
  png: async (orientation) => {
    const texts = [
      pngChunk('tEXt', latin1(`Comment\0${secret}`)),
      pngChunk('zTXt', Buffer.concat([latin1('Title\0\0'), deflateSync(secret)])),
      pngChunk('iTXt', latin1(`XML:com.adobe.xmp\0\0\0\0\0${secret}`)),
      pngChunk('tIME', Buffer.from([7, 0xea, 11, 26, 1, 2, 3])),
      pngChunk('prVt', latin1(secret)),
    ];
    return Buffer.concat([after(await described('png', orientation), 33, ...texts), latin1(secret)]);
  },
  webp: async (orientation) =>
    Buffer.concat([webpChunk(await described('webp', orientation), 'NOTE', `${secret}!`), latin1(secret)]),
  avif: async (orientation) =>
    Buffer.concat([await described('avif', orientation), latin1(`\0\0\0\x10udta${secret}!`)]),
  gif: async () => {
    const gif = await described('gif');
    const at = 13 + 3 * 2 ** ((gif[10]! & 7) + 1);
    const blocks = [gifBlocks('!\xfe', secret), gifBlocks('!\xff', 'XMP DataXMP', secret), gifBlocks('!\x01', secret)];
    return Buffer.concat([after(gif, at, ...blocks), latin1(secret)]);
  },
};

const strip = (file: Buffer, format: TextureFormat, orientation?: number): Buffer => {
  const parts = withoutMetadata(file, format, orientation ?? 1);
  return parts === null ? file : assemble(file, parts);
};
/** Returns the length of the stored file; 0 when the file is rejected. */
function lengthOf(file: Buffer, format: TextureFormat): number {
  try {
    return strip(file, format).length;
  } catch {
    return 0;
  }
}
const pixelsOf = async (file: Buffer) => (await decodeLevel(file, 1024)).data;

describe('withoutMetadata', () => {
  it.each(formats)('preserves all pixels and removes the metadata: %s', async (format) => {
    const file = await everywhere[format]();
    const stored = strip(file, format);
    const { exif, xmp, iptc, comments, icc } = await openTexture(stored).metadata();
    // An AVIF contains zeros instead
    const metadata = [exif, xmp, iptc].filter((it) => it !== undefined && it.some((byte) => byte !== 0));
    expect([metadata, comments]).toEqual([[], undefined]);
    expect(icc === undefined).toBe(format === 'gif');
    expect(file.includes(secret)).toBe(true);
    expect(stored.includes(secret)).toBe(false);
    expect((await pixelsOf(stored)).equals(await pixelsOf(file))).toBe(true);
  });

  it.each((['png', 'jpeg', 'webp', 'avif'] as const).flatMap((format) => [3, 6].map((how) => [format, how] as const)))(
    'preserves the orientation: %s, orientation %i',
    async (format, orientation) => {
      const file = await everywhere[format](orientation);
      const stored = strip(file, format, (await openTexture(file).metadata()).orientation);
      expect(stored.includes(secret)).toBe(false);
      const [level, before] = [await decodeLevel(stored, 1024), await decodeLevel(file, 1024)];
      expect(level.width).toBe(orientation === 6 ? 40 : 60);
      expect(level.data.equals(before.data)).toBe(true);
      expect(strip(stored, format, orientation).equals(stored)).toBe(true);
    },
  );

  it.each(formats)('returns a file without metadata unchanged: %s', async (format) => {
    const file = await testImage({ format, width: 30, height: 20 });
    expect(strip(file, format).equals(file)).toBe(true);
  });

  it('preserves the repetition of a GIF', () => {
    const frames = [1, 3].map((color) => ({ width: 8, height: 8, color }));
    const gif = flatGif({ screen: [8, 8], frames });
    const loop = gifBlocks('!\xff', 'NETSCAPE2.0', '\x01\x05\0');
    const file = after(gif, 25, loop, gifBlocks('!\xfe', secret));
    expect(strip(file, 'gif').equals(after(gif, 25, loop))).toBe(true);
  });

  it('preserves the cover of an animated AVIF', async () => {
    const [cover, second] = [await described('avif'), await described('avif')];
    const file = avifSequence(cover, second);
    const stored = strip(file, 'avif');
    expect(stored.includes(secret)).toBe(false);
    expect((await pixelsOf(stored)).equals(await pixelsOf(file))).toBe(true);
  });

  it('removes the thumbnail of a JFIF header', async () => {
    const file = await testImage({ format: 'jpeg', width: 30, height: 20 });
    const at = file.indexOf(latin1('\xff\xe0'));
    const plain = at < 0 ? after(file, 2, segment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01\0\0')) : file;
    const small = segment(0xe0, `JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01${secret.slice(0, 3)}`);
    expect(strip(Buffer.concat([plain.subarray(0, 2), small, plain.subarray(20)]), 'jpeg').equals(plain)).toBe(true);
  });
});

describe('withoutMetadata for a damaged file', () => {
  it.each(formats)('terminates for overwritten bytes and truncated files: %s', async (format) => {
    const file = await everywhere[format]();
    const bytes = [0, 1, 0x7f, 0xff];
    for (let at = 0; at < Math.min(file.length, 1_500); at += 1) {
      const broken = Buffer.from(file);
      broken.fill(bytes[at % bytes.length]!, at, at + 1 + (at % 4));
      for (const damaged of [broken, file.subarray(0, at)]) {
        if (damaged.length < 12) continue;
        expect(lengthOf(damaged, format)).toBeLessThanOrEqual(damaged.length + 40);
      }
    }
  });

  it.each([
    ['png', () => flatPng({ width: 1, height: 1, depth: 8, color: [1, 2, 3], beforePixels: many(pngPair) })],
    ['jpeg', () => Promise.resolve(Buffer.concat([latin1('\xff\xd8'), ...many(jpegPair)]))],
    ['gif', () => Promise.resolve(Buffer.concat([latin1('GIF89a'), Buffer.alloc(7), ...many(gifPair)]))],
  ] as const)('limits the number of parts: %s', async (format, make) => {
    const file = await make();
    expect(() => withoutMetadata(file, format, 1)).toThrow(TooManyParts);
  });
});

const many = (piece: Buffer): Buffer[] => Array<Buffer>(maxParts + 1).fill(piece);
const pngPair = Buffer.concat([pngChunk('tEXt', latin1('a\0b')), pngChunk('gAMA', uint16(0, 45_455))]);
const jpegPair = Buffer.concat([segment(0xfe, secret), segment(0xdb, secret)]);
const gifPair = Buffer.concat([gifBlocks('!\xfe', secret), gifBlocks('!\xf9', '\0\0\0\0')]);
