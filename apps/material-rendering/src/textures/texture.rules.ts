import { randomBytes } from 'node:crypto';
import type { Texture } from '#contracts';
import { segmentsOf } from './metadata/jpeg.js';

/**
 * What a texture may cost. The pixel limits are measured: the worst image below them (interlaced PNG of 16 bits, 49
 * megapixels) takes 455 MB and 1.5 s to decode; AVIF needs four times as much memory per pixel.
 */
export const textureLimits = {
  bytes: 20 * 1024 * 1024,
  pixels: 50_000_000,
  avifPixels: 16_000_000,
  /** Pixels of the longer side: an image of one row and 16 million columns is within the pixel limit, but useless. */
  side: 16_384,
  /** Of a progressive JPEG; cameras and encoders write about ten. Each walks through all pixels for 100 bytes: 883 took 19 s. */
  scans: 100,
  /**
   * Of zTXt, iTXt and iCCP in a PNG. The decoder inflates each of them to 8 MB, all at once: 200 of them in 2 MB
   * took 900 MB, and 12 more than the heap of the child. Editors write about five.
   */
  compressedChunks: 8,
  /** Bytes of these chunks together; profiles have up to 2 MB. */
  compressedChunkBytes: 4 * 1024 * 1024,
} as const;

export type TextureFormat = Texture['format'];

/** The facts in an image's header. */
export interface ImageHeader {
  readonly format: string;
  readonly width: number;
  readonly height: number;
}

/** How many pixels an image of a format may have. */
export const pixelsOf = (format: string): number =>
  format === 'avif' ? textureLimits.avifPixels : textureLimits.pixels;

/** Why an image of this header is too large to be decoded; null when it is not. */
export function excessOf({ format, width, height }: ImageHeader): string | null {
  if (Math.max(width, height) > textureLimits.side) {
    return `${width}x${height} pixels, and a side may have ${textureLimits.side}`;
  }
  const pixels = pixelsOf(format);
  if (width * height > pixels) return `${width}x${height} pixels, and ${pixels / 1_000_000} million are allowed`;
  return null;
}

/** Counts the scans of a JPEG. */
export function scansOf(jpeg: Buffer): number {
  let scans = 0;
  for (const { marker } of segmentsOf(jpeg)) if (marker === 0xda) scans += 1;
  return scans;
}

const compressedChunks: ReadonlySet<string> = new Set(['zTXt', 'iTXt', 'iCCP']);

/**
 * Returns why the texts and profiles of a PNG are too many or too large to be inflated; null when they are not. Reads the
 * heads of the chunks only.
 */
export function excessOfChunks(png: Buffer): string | null {
  let [count, size] = [0, 0];
  for (let at = 8; at + 8 <= png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'IEND') break;
    if (!compressedChunks.has(type)) continue;
    count += 1;
    size += png.readUInt32BE(at);
  }
  const { compressedChunks: most, compressedChunkBytes: mostBytes } = textureLimits;
  if (count > most) return `${count} compressed texts and profiles, and ${most} are allowed`;
  if (size > mostBytes) return `${size} bytes of compressed texts and profiles, and ${mostBytes} are allowed`;
  return null;
}

/** A key for the bytes of a texture. None is ever used again: bytes that are deleted late are never those of another upload. */
export const freshTextureKey = (hash: string): string => `textures/${hash}.${randomBytes(8).toString('hex')}`;

/** From the start of an image, for `sniff`. */
export const sniffedBytes = 4096;

type Sniffed = { readonly supported: TextureFormat } | { readonly unsupported: string };

const ascii = (bytes: Buffer, start: number, end: number): string => bytes.toString('latin1', start, end);

/** First bytes of what people send instead of a supported image, so that the refusal can name it. */
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

/** An ISO media file says in its brands what it holds: `avif` anywhere means AVIF, even when the major brand is `mif1`. */
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
  // eslint-disable-next-line no-control-regex -- control characters are what tells text from binary
  return { unsupported: /[\0-\x08\x0e-\x1a\x7f]/.test(text) ? 'of an unknown format' : 'text' };
}

/** The format that the first bytes themselves have. Names and media types that a client sends are not believed. */
export function sniff(bytes: Buffer): Sniffed {
  if (ascii(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return { supported: 'png' };
  if (ascii(bytes, 0, 3) === '\xff\xd8\xff') return { supported: 'jpeg' };
  if (/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) return { supported: 'gif' };
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') return { supported: 'webp' };
  if (bytes.length >= 12 && ascii(bytes, 4, 8) === 'ftyp') return sniffIsoMedia(bytes);
  const known = unsupportedSignatures.find(([signature]) => ascii(bytes, 0, signature.length) === signature);
  return known === undefined ? sniffText(bytes) : { unsupported: known[1] };
}
