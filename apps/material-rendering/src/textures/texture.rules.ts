import { randomBytes } from 'node:crypto';
import type { Texture } from '#contracts';
import { segmentsOf } from './metadata/jpeg.js';

/**
 * Limits of a texture. The pixel limits are measured: the most expensive image below them
 * (interlaced PNG of 16 bits, 49 megapixels) takes 455 MB and 1.5 s to decode. AVIF needs four
 * times as much memory per pixel.
 */
export const textureLimits = {
  bytes: 20 * 1024 * 1024,
  pixels: 50_000_000,
  avifPixels: 16_000_000,
  /**
   * Pixels of the longer side: an image of one row and 16 million columns is within the pixel
   * limit, but useless.
   */
  side: 16_384,
  /**
   * Scans of a progressive JPEG; cameras and encoders write about ten. A scan of 100 bytes makes
   * the decoder process all pixels: 883 scans took 19 s.
   */
  scans: 100,
  /**
   * zTXt, iTXt and iCCP chunks of a PNG. The decoder inflates each of them to at most 8 MB, and has
   * all of them in memory: 200 of them in 2 MB took 900 MB, and 12 took more than the heap of the
   * child. Editors write about five.
   */
  compressedChunks: 8,
  /** Bytes of these chunks together; profiles have up to 2 MB. */
  compressedChunkBytes: 4 * 1024 * 1024,
} as const;

export type TextureFormat = Texture['format'];

/** Format and size from the header of an image. */
export interface ImageHeader {
  readonly format: string;
  readonly width: number;
  readonly height: number;
}

/** Returns the maximum number of pixels of an image of a format. */
export const maxPixelsOf = (format: string): number =>
  format === 'avif' ? textureLimits.avifPixels : textureLimits.pixels;

/** Returns the reason why an image with this header is too large to decode, or null. */
export function findPixelExcess({ format, width, height }: ImageHeader): string | null {
  if (Math.max(width, height) > textureLimits.side) {
    return `${width} x ${height} pixels; a side may have at most ${textureLimits.side}`;
  }
  const maxPixels = maxPixelsOf(format);
  if (width * height > maxPixels)
    return `${width} x ${height} pixels; at most ${maxPixels / 1_000_000} million are allowed`;
  return null;
}

/** Counts the scans of a JPEG. */
export function scansOf(jpeg: Buffer): number {
  let scans = 0;
  for (const { marker } of segmentsOf(jpeg)) if (marker === 0xda) scans += 1;
  return scans;
}

const compressedChunkTypes: ReadonlySet<string> = new Set(['zTXt', 'iTXt', 'iCCP']);

/**
 * Returns the reason why the texts and profiles of a PNG are too many or too large to inflate, or
 * null. Reads only the headers of the chunks.
 */
export function findChunkExcess(png: Buffer): string | null {
  let [count, size] = [0, 0];
  for (let at = 8; at + 8 <= png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'IEND') break;
    if (!compressedChunkTypes.has(type)) continue;
    count += 1;
    size += png.readUInt32BE(at);
  }
  const { compressedChunks: maxCount, compressedChunkBytes: maxBytes } = textureLimits;
  if (count > maxCount) return `${count} compressed texts and profiles; at most ${maxCount} are allowed`;
  if (size > maxBytes) return `${size} bytes of compressed texts and profiles; at most ${maxBytes} are allowed`;
  return null;
}

/**
 * Returns a new blob key for the bytes of a texture. A key is never used twice, so that a late
 * deletion cannot delete the bytes of another upload.
 */
export const createTextureKey = (hash: string): string => `textures/${hash}.${randomBytes(8).toString('hex')}`;

/** Number of bytes from the start of an image that `sniff` reads. */
export const sniffedBytes = 4096;

type Sniffed = { readonly supported: TextureFormat } | { readonly unsupported: string };

const ascii = (bytes: Buffer, start: number, end: number): string => bytes.toString('latin1', start, end);

/** First bytes of other formats that clients send, so that the error can name the format. */
const unsupportedSignatures: readonly (readonly [signature: string, name: string])[] = [
  ['II*\0', 'TIFF'],
  ['MM\0*', 'TIFF'],
  ['II+\0', 'TIFF'],
  ['MM\0+', 'TIFF'],
  ['%PDF-', 'PDF'],
  ['%!PS', 'PostScript'],
  ['8BPS', 'a Photoshop document'],
  ['BM', 'BMP'],
  ['\0\0\x01\0', 'an icon file'],
  ['\xff\x0a', 'JPEG XL'],
  ['\0\0\0\x0cJXL ', 'JPEG XL'],
  ['\0\0\0\x0cjP  ', 'JPEG 2000'],
  ['\xff\x4f\xff\x51', 'JPEG 2000'],
  ['gimp xcf', 'a GIMP document'],
  ['PK\x03\x04', 'a ZIP archive'],
  ['\x1f\x8b', 'compressed with gzip'],
  ['\x1aE\xdf\xa3', 'a video'],
];

/**
 * Detects the format of an ISO media file by its brands: `avif` or `avis` at any position means
 * AVIF, also when the major brand is `mif1`.
 */
function sniffIsoMedia(bytes: Buffer): Sniffed {
  const end = Math.min(bytes.readUInt32BE(0), bytes.length, 256);
  const brands = [ascii(bytes, 8, 12)];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(ascii(bytes, at, at + 4));
  if (brands.some((brand) => brand === 'avif' || brand === 'avis')) return { supported: 'avif' };
  if (brands.some((brand) => /^(?:he[iv][cxms]|mif1|msf1)$/.test(brand))) return { unsupported: 'HEIC' };
  return { unsupported: 'a video' };
}

function sniffText(bytes: Buffer): Sniffed {
  const bom = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'latin1';
  const text = bytes
    .subarray(0, sniffedBytes)
    .toString(bom)
    .replace(/^(?:\xef\xbb\xbf|\ufeff)/, '')
    .trimStart();
  if (/<svg[\s>:]/i.test(text)) return { unsupported: 'SVG' };
  if (/^<(?:!doctype html|html|head|body|script|title)\b/i.test(text)) return { unsupported: 'an HTML page' };
  if (text.startsWith('<?xml')) return { unsupported: 'XML' };
  if (/^[[{]/.test(text)) return { unsupported: 'JSON' };
  // eslint-disable-next-line no-control-regex -- control characters distinguish text from binary
  return { unsupported: /[\0-\x08\x0e-\x1a\x7f]/.test(text) ? 'of an unknown format' : 'text' };
}

/**
 * Detects the format of an image by its first bytes. File names and media types of clients are not
 * trusted.
 */
export function sniff(bytes: Buffer): Sniffed {
  if (ascii(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return { supported: 'png' };
  if (ascii(bytes, 0, 3) === '\xff\xd8\xff') return { supported: 'jpeg' };
  if (/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) return { supported: 'gif' };
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') return { supported: 'webp' };
  if (bytes.length >= 12 && ascii(bytes, 4, 8) === 'ftyp') return sniffIsoMedia(bytes);
  const known = unsupportedSignatures.find(([signature]) => ascii(bytes, 0, signature.length) === signature);
  return known === undefined ? sniffText(bytes) : { unsupported: known[1] };
}
