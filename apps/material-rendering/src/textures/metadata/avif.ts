import { maxParts, StoredParts, TooManyParts } from './stored-parts.js';

interface Box {
  readonly type: string;
  readonly from: number;
  /** Offset of its content. */
  readonly content: number;
  readonly to: number;
}
type Range = readonly [from: number, to: number];

/** Items with pixels. The others are EXIF, XMP (`mime`) and links (`uri `). */
const imageItems: ReadonlySet<string> = new Set(['av01', 'grid', 'iovl', 'iden', 'tmap', 'sato']);
/**
 * Boxes that are copied at a level of the file, and boxes whose content is another level, with the
 * number of bytes before it.
 */
interface Level {
  readonly copied: ReadonlySet<string>;
  readonly inside?: Readonly<Record<string, { readonly level: Level; readonly head: number }>>;
}
/**
 * Properties that affect the pixels. The others are `udes` (a text), `crtt` and `mdft` (times),
 * `cmin` and `cmex` (the camera).
 */
const propertyLevel: Level = {
  copied: new Set([
    ...['ispe', 'pixi', 'pasp', 'colr', 'av1C', 'auxC', 'irot', 'imir', 'clap', 'rloc', 'lsel', 'a1op', 'a1lx'],
    ...['clli', 'mdcv', 'cclv', 'amve', 'reve', 'ndwt', 'iscl', 'free'],
  ]),
};
const propertiesLevel: Level = { copied: new Set(['ipma']), inside: { ipco: { level: propertyLevel, head: 0 } } };
const metaLevel: Level = {
  copied: new Set(['hdlr', 'pitm', 'iinf', 'iref', 'iloc', 'dinf', 'grpl']),
  inside: { iprp: { level: propertiesLevel, head: 0 } },
};
const fileLevel: Level = { copied: new Set(['ftyp']), inside: { meta: { level: metaLevel, head: 4 } } };
/** Boxes with the bytes of items. */
const dataBoxes: ReadonlySet<string> = new Set(['mdat', 'idat']);

function* boxesIn(file: Buffer, from: number, to: number): Generator<Box> {
  for (let at = from; at + 8 <= to;) {
    const size = file.readUInt32BE(at);
    const isLong = size === 1;
    const length = isLong ? Number(file.readBigUInt64BE(at + 8)) : size === 0 ? to - at : size;
    const head = isLong ? 16 : 8;
    if (length < head) throw notAvif();
    const end = Math.min(at + length, to);
    yield { type: file.toString('latin1', at + 4, at + 8), from: at, content: at + head, to: end };
    at = end;
  }
}

/** Sequential reader of numbers. */
class Numbers {
  constructor(
    private readonly file: Buffer,
    private at: number,
  ) {}

  next(bytes: number): number {
    const from = this.at;
    this.at += bytes;
    if (bytes === 0) return 0;
    return bytes === 8 ? Number(this.file.readBigUInt64BE(from)) : this.file.readUIntBE(from, bytes);
  }
}

/** Returns the type of each item by its id. */
function typesOfItems(file: Buffer, { content, to }: Box): Map<number, string> {
  const types = new Map<number, string>();
  const first = content + (file[content] === 0 ? 6 : 8);
  for (const item of boxesIn(file, first, to)) {
    const idBytes = file[item.content] === 3 ? 4 : 2;
    const at = item.content + 4;
    types.set(file.readUIntBE(at, idBytes), file.toString('latin1', at + idBytes + 2, at + idBytes + 6));
  }
  return types;
}

/**
 * Returns the ranges of each item in the file.
 *
 * @param idat offset of the content of the `idat` box
 */
function* placesOfItems(
  file: Buffer,
  { content }: Box,
  idat: number,
): Generator<{ readonly id: number; readonly range: Range }> {
  const version = file[content]!;
  const numbers = new Numbers(file, content + 4);
  const sizes = numbers.next(2);
  const [offsetBytes, lengthBytes, baseBytes] = [(sizes >> 12) & 15, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexBytes = version === 0 ? 0 : sizes & 15;
  const idBytes = version < 2 ? 2 : 4;
  for (let left = numbers.next(idBytes); left > 0; left -= 1) {
    const id = numbers.next(idBytes);
    const method = version === 0 ? 0 : numbers.next(2) & 15;
    // Index of an external file with the bytes
    numbers.next(2);
    const base = numbers.next(baseBytes);
    for (let extents = numbers.next(2); extents > 0; extents -= 1) {
      numbers.next(indexBytes);
      const from = base + numbers.next(offsetBytes) + (method === 1 ? idat : 0);
      const length = numbers.next(lengthBytes);
      // Construction method 2 refers to other items
      if (method < 2) yield { id, range: [from, length === 0 ? file.length : from + length] };
    }
  }
}

/**
 * Returns the ranges of the file with pixels, in the order of their starts. Ranges may touch or
 * overlap.
 */
function pixelsOf(file: Buffer, meta: Box): readonly Range[] {
  const boxes = [...boxesIn(file, meta.content + 4, meta.to)];
  const find = (type: string): Box | undefined => boxes.find((it) => it.type === type);
  const [items, locations] = [find('iinf'), find('iloc')];
  if (items === undefined || locations === undefined) throw notAvif();
  const types = typesOfItems(file, items);
  const ranges: Range[] = [];
  for (const { id, range } of placesOfItems(file, locations, find('idat')?.content ?? 0)) {
    if (!imageItems.has(types.get(id) ?? '')) continue;
    if (ranges.length === maxParts) throw new TooManyParts();
    ranges.push(range);
  }
  return ranges.sort(([one], [other]) => one - other);
}

/**
 * Copies the parts that the image needs without moving them, because the file contains many
 * offsets. EXIF, XMP, user descriptions and the frames of an animation become zeros, because only
 * the cover image of an animation is rendered.
 *
 * @throws Error for a file that is not a valid AVIF
 * @throws TooManyParts
 */
export function partsOfAvif(avif: Buffer): StoredParts {
  const meta = [...boxesIn(avif, 0, avif.length)].find(({ type }) => type === 'meta');
  if (meta === undefined) throw notAvif();
  const pixels = pixelsOf(avif, meta);
  const parts = new StoredParts();
  const copyPixels = ({ from, content, to }: Box): void => {
    parts.add(from, content);
    let at = content;
    for (const [start, end] of pixels) {
      if (end <= at || start >= to) continue;
      parts.zeros(start - at);
      parts.add(Math.max(at, start), Math.min(end, to));
      at = Math.min(end, to);
    }
    parts.zeros(to - at);
  };
  const blank = ({ from, content, to }: Box): void => {
    parts.add(from, from + 4);
    parts.insert(Buffer.from('free', 'latin1'));
    parts.add(from + 8, content);
    parts.zeros(to - content);
  };
  const walk = (start: number, end: number, { copied, inside = {} }: Level): void => {
    let at = start;
    for (const box of boxesIn(avif, start, end)) {
      const within = inside[box.type];
      if (within !== undefined) {
        parts.add(box.from, box.content + within.head);
        walk(box.content + within.head, box.to, within.level);
      } else if (dataBoxes.has(box.type)) copyPixels(box);
      else if (copied.has(box.type)) parts.add(box.from, box.to);
      else blank(box);
      at = box.to;
    }
    // Less than a box: the decoder rejects the truncated file
    parts.add(at, end);
  };
  walk(0, avif.length, fileLevel);
  return parts;
}

const notAvif = (): Error => new Error('the file is not a valid AVIF');
