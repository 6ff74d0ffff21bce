import { pipeline } from 'node:stream/promises';
import { crc32, createDeflate } from 'node:zlib';
import { latin1, uint32 } from './bytes.js';

/** Returns a chunk of a PNG. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([latin1(type), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
}

interface FlatPng {
  readonly width: number;
  readonly height: number;
  /** 8 or 16 bits per sample. */
  readonly depth: 8 | 16;
  /** Color, one byte per sample: RGB or RGBA. */
  readonly color: readonly number[];
  readonly interlaced?: boolean;
  readonly beforePixels?: readonly Buffer[];
  readonly afterPixels?: readonly Buffer[];
}

/** First column and row of each Adam7 pass, and its steps. */
const adam7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/**
 * Yields the rows of all passes, unfiltered, in pieces of about a megabyte: 49 megapixels of 16
 * bits are 400 MB.
 */
function* rowsOf({ width, height, depth, color, interlaced = false }: FlatPng): Generator<Buffer> {
  const pixel = Buffer.from(color.flatMap((sample) => (depth === 16 ? [sample, sample] : [sample])));
  for (const [left, top, across, down] of interlaced ? adam7 : [[0, 0, 1, 1] as const]) {
    const columns = Math.ceil((width - left) / across);
    if (columns <= 0) continue;
    const row = Buffer.concat([Buffer.alloc(1), Buffer.alloc(columns * pixel.length, pixel)]);
    const together = Math.ceil(1_000_000 / row.length);
    const rows = Buffer.concat(Array.from({ length: together }, () => row));
    for (let left = Math.ceil((height - top) / down); left > 0; left -= together) {
      yield rows.subarray(0, Math.min(together, left) * row.length);
    }
  }
}

/** Returns a valid PNG of one color and any size. */
export async function flatPng(image: FlatPng): Promise<Buffer> {
  const { width, height, depth, color, interlaced = false, beforePixels = [], afterPixels = [] } = image;
  const packed: Buffer[] = [];
  await pipeline(rowsOf(image), createDeflate({ level: 1 }), async (pieces: AsyncIterable<Buffer>) => {
    for await (const piece of pieces) packed.push(piece);
  });
  const kind = Buffer.from([depth, color.length === 4 ? 6 : 2, 0, 0, interlaced ? 1 : 0]);
  return Buffer.concat([
    latin1('\x89PNG\r\n\x1a\n'),
    pngChunk('IHDR', Buffer.concat([uint32(width, height), kind])),
    ...beforePixels,
    pngChunk('IDAT', Buffer.concat(packed)),
    ...afterPixels,
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}
