import { exifOf } from './exif.js';
import { StoredParts } from './stored-parts.js';

interface JpegSegment {
  readonly marker: number;
  readonly from: number;
  /** End by its length field, which may be beyond the end of a truncated file. */
  readonly to: number;
}

/**
 * Yields the segments of a JPEG that have a length field, up to the end marker, and returns the end
 * of that marker; without a marker, that of the file. Data after the end marker is not part of the
 * image. Inside a scan every 0xff is followed by a zero or a restart marker, so that the next other
 * marker ends the scan. Takes up to 0.7 s.
 */
export function* segmentsOf(jpeg: Buffer): Generator<JpegSegment, number> {
  for (let at = jpeg.indexOf(0xff, 2); at >= 0 && at + 3 < jpeg.length; at = jpeg.indexOf(0xff, at)) {
    const marker = jpeg[at + 1]!;
    if (marker === 0xd9) return at + 2;
    const isFilling = marker === 0xff;
    const isBare = marker === 0 || marker === 1 || (marker >= 0xd0 && marker <= 0xd8);
    const to = at + (isFilling ? 1 : isBare ? 2 : 2 + jpeg.readUInt16BE(at + 2));
    if (!isFilling && !isBare) yield { marker, from: at, to };
    at = to;
  }
  return jpeg.length;
}

const jfifLength = 18;

/**
 * Copies the image, the JFIF header without its thumbnail, the ICC profile and Adobe's marker,
 * which defines how colors are stored. Drops comments, other application segments and data after
 * the end marker.
 */
export function partsOfJpeg(jpeg: Buffer, orientation: number): StoredParts {
  const parts = new StoredParts();
  parts.add(0, 2);
  if (orientation > 1) parts.insert(exifSegment(orientation));
  const segments = segmentsOf(jpeg);
  let at = 2;
  let next = segments.next();
  for (; next.done !== true; next = segments.next()) {
    const { marker, from, to } = next.value;
    const isApplication = marker >= 0xe0 && marker <= 0xef;
    if (!isApplication && marker !== 0xfe) continue;
    const starts = (name: string): boolean => jpeg.toString('latin1', from + 4, from + 4 + name.length) === name;
    const hasThumbnail = marker === 0xe0 && starts('JFIF\0') && to - from > jfifLength;
    const isCopied =
      (marker === 0xe0 && starts('JFIF\0')) ||
      (marker === 0xe2 && starts('ICC_PROFILE\0')) ||
      (marker === 0xee && starts('Adobe'));
    if (isCopied && !hasThumbnail) continue;
    parts.add(at, from);
    if (hasThumbnail) parts.insert(withoutThumbnail(jpeg.subarray(from, from + jfifLength)));
    at = to;
  }
  parts.add(at, next.value);
  return parts;
}

function exifSegment(orientation: number): Buffer {
  const exif = exifOf(orientation);
  const head = Buffer.from('\xff\xe1\0\0Exif\0\0', 'latin1');
  head.writeUInt16BE(head.length - 2 + exif.length, 2);
  return Buffer.concat([head, exif]);
}

function withoutThumbnail(segment: Buffer): Buffer {
  const head = Buffer.alloc(jfifLength);
  segment.copy(head);
  head.writeUInt16BE(jfifLength - 2, 2);
  head.writeUInt16BE(0, jfifLength - 2);
  return head;
}
