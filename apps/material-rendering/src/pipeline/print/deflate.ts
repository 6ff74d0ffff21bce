import { once } from 'node:events';
import { constants, createDeflate } from 'node:zlib';
import { type Sink } from './sink.js';

/**
 * Compresses pieces to a sink. Runs of equal bytes only: after the filter of `filterRows` other
 * repeats hardly occur, and searching them takes twice as long for files of the same size.
 */
export async function deflate(pieces: Iterable<Uint8Array>, sink: Sink): Promise<void> {
  const stream = createDeflate({ level: 1, strategy: constants.Z_RLE, memLevel: 9, chunkSize: 65_536 });
  const write = async (): Promise<void> => {
    for (const piece of pieces)
      await new Promise<void>((resolve, reject) => stream.write(piece, (error) => (error ? reject(error) : resolve())));
    stream.end();
    await once(stream, 'end');
  };
  const read = async (): Promise<void> => {
    for await (const chunk of stream) await sink(chunk as Buffer);
  };
  await Promise.all([write(), read()]);
}

/**
 * Filters the rows of each band by the PNG filter Sub: every byte is stored as the difference from
 * that of the pixel before. PDF has the same filter.
 *
 * @param pick channels of each pixel of four bytes that are stored
 */
export function* filterRows(
  bands: Iterable<Uint8Array>,
  width: number,
  pick: { readonly from: number; readonly channels: number },
): Generator<Uint8Array> {
  const { from, channels } = pick;
  const rowBytes = 1 + channels * width;
  let filtered = Buffer.alloc(0);
  for (const band of bands) {
    const rows = band.length / (4 * width);
    if (filtered.length !== rows * rowBytes) filtered = Buffer.alloc(rows * rowBytes);
    for (let row = 0, i = from, o = 0; row < rows; row++) {
      filtered[o++] = 1;
      const end = i + 4 * width;
      for (let c = i; c < i + channels; c++) filtered[o++] = band[c]!;
      for (i += 4; i < end; i += 4) for (let c = i; c < i + channels; c++) filtered[o++] = band[c]! - band[c - 4]!;
    }
    yield filtered;
  }
}
