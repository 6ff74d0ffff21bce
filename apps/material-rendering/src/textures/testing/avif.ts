import { latin1, uint16, uint32 } from './bytes.js';

const box = (type: string, ...content: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  return Buffer.concat([uint32(body.length + 8), latin1(type), body]);
};
const fullBox = (type: string, flags: number, ...content: readonly Buffer[]): Buffer =>
  box(type, uint32(flags), ...content);

/** Returns the first box of a type at any level. */
function boxIn(file: Buffer, type: string): { readonly start: number; readonly whole: Buffer } {
  const start = file.indexOf(type, 0, 'latin1') - 4;
  return { start, whole: file.subarray(start, start + file.readUInt32BE(start)) };
}

const unity = uint32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

interface Samples {
  readonly width: number;
  readonly height: number;
  /** Decoder configuration of the still image. */
  readonly settings: Buffer;
  readonly sizes: readonly number[];
  readonly offsets: readonly number[];
}

function sampleTable({ width, height, settings, sizes, offsets }: Samples): Buffer {
  const entry = box(
    'av01',
    ...[Buffer.alloc(6), uint16(1), Buffer.alloc(16), uint16(width, height), uint32(0x480000, 0x480000, 0)],
    ...[uint16(1), Buffer.alloc(32), uint16(24, 0xffff), settings, fullBox('ccst', 0, uint32(0x7c000000))],
  );
  return box(
    'stbl',
    fullBox('stsd', 0, uint32(1), entry),
    fullBox('stts', 0, uint32(1, sizes.length, 1)),
    fullBox('stsc', 0, uint32(1, 1, 1, 1)),
    fullBox('stsz', 0, uint32(0, sizes.length, ...sizes)),
    fullBox('stco', 0, uint32(offsets.length, ...offsets)),
  );
}

function movie(samples: Samples): Buffer {
  const count = samples.sizes.length;
  const place = uint32(samples.width * 0x10000, samples.height * 0x10000);
  const references = box('dinf', fullBox('dref', 0, uint32(1), fullBox('url ', 1)));
  return box(
    'moov',
    fullBox('mvhd', 0, uint32(0, 0, 1, count, 0x10000, 0x1000000, 0, 0), unity, Buffer.alloc(24), uint32(2)),
    box(
      'trak',
      fullBox('tkhd', 7, uint32(0, 0, 1, 0, count, 0, 0, 0, 0), unity, place),
      box(
        'mdia',
        fullBox('mdhd', 0, uint32(0, 0, 1, count, 0x55c40000)),
        fullBox('hdlr', 0, uint32(0), latin1('pict'), Buffer.alloc(13)),
        box('minf', fullBox('vmhd', 1, Buffer.alloc(8)), references, sampleTable(samples)),
      ),
    ),
  );
}

/**
 * Creates an animation from still AVIFs of the same size without alpha. The first one is its cover
 * and its first frame.
 */
export function avifSequence(...stills: readonly [Buffer, ...Buffer[]]): Buffer {
  const cover = Buffer.from(stills[0]);
  cover.write('avis', 8, 'latin1');
  const [first, ...further] = stills.map((still) => boxIn(still, 'mdat').whole);
  const size = boxIn(cover, 'ispe').whole;
  const offsets = [boxIn(cover, 'mdat').start + 8];
  let end = cover.length;
  for (const data of further) {
    offsets.push(end + 8);
    end += data.length;
  }
  const sizes = [first!, ...further].map((data) => data.length - 8);
  const [width, height, settings] = [size.readUInt32BE(12), size.readUInt32BE(16), boxIn(cover, 'av1C').whole];
  return Buffer.concat([cover, ...further, movie({ width, height, settings, sizes, offsets })]);
}

/** Returns an AVIF whose header claims another size. */
export function claimAvifSize(still: Buffer, width: number, height: number): Buffer {
  const claimed = Buffer.from(still);
  uint32(width, height).copy(claimed, boxIn(claimed, 'ispe').start + 12);
  return claimed;
}
