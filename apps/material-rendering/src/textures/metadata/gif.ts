import { StoredParts } from './stored-parts.js';

const [extension, image, trailer] = [0x21, 0x2c, 0x3b];
const [control, application] = [0xf9, 0xff];
/** Application extensions that contain the number of repetitions. */
const loops: ReadonlySet<string> = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0']);

const colorsOf = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/**
 * Copies images, their timing and repetition. Drops comments, texts, XMP and data after the end.
 */
export function partsOfGif(gif: Buffer): StoredParts {
  const parts = new StoredParts();
  let at = 13 + colorsOf(gif[10] ?? 0);
  parts.add(0, Math.min(at, gif.length));
  while (at < gif.length) {
    const from = at;
    const kind = gif[at];
    if (kind === image) at = endOfBlocks(gif, at + 11 + colorsOf(gif[at + 9] ?? 0));
    else if (kind === extension) at = endOfBlocks(gif, at + 2);
    else at += 1;
    const isCopied = kind !== extension || isCopiedExtension(gif, from);
    if (isCopied) parts.add(from, Math.min(at, gif.length));
    if (kind === trailer) break;
  }
  return parts;
}

function isCopiedExtension(gif: Buffer, at: number): boolean {
  const label = gif[at + 1];
  return label === control || (label === application && loops.has(gif.toString('latin1', at + 3, at + 14)));
}

/**
 * Returns the end of a sequence of blocks. Each block begins with its size; 0 ends the sequence.
 */
function endOfBlocks(gif: Buffer, start: number): number {
  let at = start;
  while (at < gif.length && gif[at] !== 0) at += 1 + gif[at]!;
  return at + 1;
}
