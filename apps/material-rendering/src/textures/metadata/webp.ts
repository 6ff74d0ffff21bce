import { exifOf } from './exif.js';
import { StoredParts } from './stored-parts.js';

const copied: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
const [hasExif, hasXmp] = [0x08, 0x04];
/** Offset of the flags in a file whose first chunk is VP8X. */
const flagsAt = 20;

/** Copies pixels, transparency, animation and ICC profile. Drops EXIF, XMP and unknown chunks. */
export function partsOfWebp(webp: Buffer, orientation: number): StoredParts {
  const claimed = 8 + webp.readUInt32LE(4);
  const end = Math.min(claimed, webp.length);
  const isExtended = webp.toString('latin1', 12, 16) === 'VP8X' && webp.length > flagsAt;
  const exif = isExtended && orientation > 1 ? exifChunk(orientation) : Buffer.alloc(0);
  const ranges: [from: number, to: number][] = [];
  let removed = 0;
  for (let at = 12; at < end;) {
    const isWhole = at + 8 <= end;
    const size = isWhole ? webp.readUInt32LE(at + 4) : 0;
    const to = Math.min(at + 8 + size + (size % 2), end);
    if (copied.has(webp.toString('latin1', at, at + 4))) ranges.push([at, to]);
    else removed += to - at;
    at = to;
  }
  const flags = isExtended ? (webp[flagsAt]! & ~(hasExif | hasXmp)) | (exif.length > 0 ? hasExif : 0) : 0;
  const isUnchanged =
    removed === 0 && exif.length === 0 && end === webp.length && (!isExtended || flags === webp[flagsAt]);
  const parts = new StoredParts();
  if (isUnchanged) {
    parts.add(0, end);
    return parts;
  }
  parts.add(0, 4);
  const size = Buffer.alloc(4);
  // The size of a truncated file stays too large, so that the decoder rejects it
  size.writeUInt32LE(claimed - 8 - removed + exif.length);
  parts.insert(size);
  parts.add(8, 12);
  for (const [from, to] of ranges) {
    const hasFlags = isExtended && from === 12;
    if (hasFlags) {
      parts.add(from, flagsAt);
      parts.insert(Buffer.from([flags]));
    }
    parts.add(hasFlags ? flagsAt + 1 : from, to);
  }
  if (exif.length > 0) parts.insert(exif);
  return parts;
}

function exifChunk(orientation: number): Buffer {
  const exif = exifOf(orientation);
  const head = Buffer.from('EXIF\0\0\0\0', 'latin1');
  head.writeUInt32LE(exif.length, 4);
  return Buffer.concat([head, exif]);
}
