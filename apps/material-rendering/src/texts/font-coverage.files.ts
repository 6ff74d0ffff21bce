import { open, type FileHandle } from 'node:fs/promises';
import { fontFiles } from './font.files.js';

/** Range of code points, inclusive, for which a font has glyphs. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/**
 * Characters for which the fonts have glyphs. Any other character would be rendered as a box with
 * its number.
 */
export class Coverage {
  private constructor(private readonly fonts: readonly (readonly Range[])[]) {}

  static async ofFonts(files: readonly string[] = fontFiles): Promise<Coverage> {
    return new Coverage(await Promise.all(files.map(rangesOf)));
  }

  has(character: string): boolean {
    const code = character.codePointAt(0)!;
    return this.fonts.some((ranges) => isIn(ranges, code));
  }
}

function isIn(ranges: readonly Range[], code: number): boolean {
  let [from, to] = [0, ranges.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ranges[middle]!.last < code) from = middle + 1;
    else to = middle;
  }
  return (ranges[from]?.first ?? Infinity) <= code;
}

/**
 * Reads the character map (`cmap`) of an OpenType font, and only that: a font has megabytes, its
 * map kilobytes.
 */
async function rangesOf(file: string): Promise<Range[]> {
  const font = await open(file);
  try {
    const tables = (await bytesAt(font, 4, 2)).readUInt16BE();
    const directory = records(await bytesAt(font, 12, 16 * tables), 16);
    const entry = directory.find((record) => record.toString('latin1', 0, 4) === 'cmap');
    if (entry === undefined) throw new Error(`${file} has no character map`);
    const cmap = await bytesAt(font, entry.readUInt32BE(8), entry.readUInt32BE(12));
    const offsets = records(cmap.subarray(4), 8, cmap.readUInt16BE(2)).map((record) => record.readUInt32BE(4));
    for (const [format, read] of formats) {
      const offset = offsets.find((at) => cmap.readUInt16BE(at) === format);
      if (offset !== undefined) return read(cmap.subarray(offset));
    }
    throw new Error(`${file} has no character map of format 12 or 4`);
  } finally {
    await font.close();
  }
}

/** Reads a map of format 12: groups of code points in ascending order. */
const groupsOf = (map: Buffer): Range[] =>
  records(map.subarray(16), 12, map.readUInt32BE(12)).map((group) => ({
    first: group.readUInt32BE(0),
    last: group.readUInt32BE(4),
  }));
/**
 * Reads a map of format 4: segments of code points in ascending order, in which some may have no
 * glyph (number 0).
 */
function segmentsOf(map: Buffer): Range[] {
  const size = map.readUInt16BE(6);
  const [lasts, firsts, deltas, offsets] = [14, 16 + size, 16 + 2 * size, 16 + 3 * size] as const;
  return Array.from({ length: size / 2 }, (_, index) => 2 * index).flatMap((at) => {
    const [first, last] = [map.readUInt16BE(firsts + at), map.readUInt16BE(lasts + at)];
    // Offset from its own position in the table to the glyph number of the first code point; 0 when
    // the glyph number is the code point plus the delta
    const offset = map.readUInt16BE(offsets + at);
    const numberOf = (code: number): number =>
      offset === 0 ? code : map.readUInt16BE(offsets + at + offset + 2 * (code - first));
    const delta = map.readUInt16BE(deltas + at);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
      .filter((code) => numberOf(code) !== 0 && (numberOf(code) + delta) % 0x10000 !== 0)
      .map((code) => ({ first: code, last: code }));
  });
}

/**
 * Preferred format first. Format 4 has no characters beyond U+FFFF, and fonts without such
 * characters need no format 12.
 */
const formats: readonly (readonly [number, (map: Buffer) => Range[]])[] = [
  [12, groupsOf],
  [4, segmentsOf],
];

async function bytesAt(font: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await font.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new Error('the font ends too early');
  return buffer;
}

const records = (bytes: Buffer, size: number, count = bytes.length / size): Buffer[] =>
  Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
