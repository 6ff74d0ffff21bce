import { crc32 } from 'node:zlib';
import { exifOf } from './exif.js';
import { StoredParts } from './stored-parts.js';

/** Ancillary chunks that affect the pixels: colors, transparency, density, animation. */
const copied: ReadonlySet<string> = new Set([
  ...['tRNS', 'cHRM', 'gAMA', 'iCCP', 'sBIT', 'sRGB', 'cICP', 'mDCV', 'cLLI', 'bKGD', 'pHYs'],
  ...['acTL', 'fcTL', 'fdAT'],
]);
/**
 * Returns true for a critical chunk: its name begins with a capital letter. The decoder rejects
 * unknown critical chunks.
 */
const isCritical = (type: string): boolean => /^[A-Z]/.test(type);

/**
 * Copies the chunks that affect the pixels. Drops texts, EXIF, times, unknown chunks and data after
 * the end.
 */
export function partsOfPng(png: Buffer, orientation: number): StoredParts {
  const parts = new StoredParts();
  parts.add(0, 8);
  for (let at = 8; at + 8 <= png.length;) {
    const type = png.toString('latin1', at + 4, at + 8);
    const to = at + 12 + png.readUInt32BE(at);
    if (isCritical(type) || copied.has(type)) parts.add(at, Math.min(to, png.length));
    if (type === 'IHDR' && orientation > 1) parts.insert(exifChunk(orientation));
    if (type === 'IEND') break;
    at = to;
  }
  return parts;
}

function exifChunk(orientation: number): Buffer {
  const body = Buffer.concat([Buffer.from('eXIf', 'latin1'), exifOf(orientation)]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}
