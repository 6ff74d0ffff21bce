import { crc32, deflateSync } from 'node:zlib';
import { sharp } from '#images';
import type { TextureFormat } from '../texture.rules.js';

/** Options of a generated test image. */
interface TestImage {
  readonly format: TextureFormat;
  readonly width: number;
  readonly height: number;
  /** `#rrggbb` or `#rrggbbaa`; default `#3264c8`. */
  readonly color?: string;
  /** Noise, which hardly compresses, instead of one color. */
  readonly noise?: boolean;
  /** EXIF orientation, 1 to 8. */
  readonly orientation?: number;
}

export function testImage({ format, width, height, color = '#3264c8', ...rest }: TestImage): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const grain = rest.noise ? { noise } : {};
  const image = sharp({
    create: { width, height, channels: color.length === 9 ? 4 : 3, background: color, ...grain },
  });
  const oriented = rest.orientation === undefined ? image : image.withMetadata({ orientation: rest.orientation });
  return oriented.toFormat(format, format === 'avif' ? { effort: 0 } : {}).toBuffer();
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

/**
 * Returns a valid, black PNG of one bit per pixel. A side of 30,000 pixels takes half a megabyte; a
 * compression to 110 kB would take three times as long.
 */
export function bombPng(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1;
  const rows = Buffer.alloc(side * (1 + Math.ceil(side / 8)));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
