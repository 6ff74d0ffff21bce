import { constants, createDeflate, deflateSync } from 'node:zlib';
import { type Sink } from './sink.js';

/**
 * Compresses runs of equal bytes only: after the filter of `rowFilter` other repeats hardly occur,
 * and searching them takes twice as long for files of the same size.
 */
const options = { level: 1, strategy: constants.Z_RLE, memLevel: 9, chunkSize: 65_536 };

/** Returns the number of bytes of a piece after compression. */
export const deflatedLength = (piece: Uint8Array): number => deflateSync(piece, options).length;

/** Compresses pieces to a sink. */
export class Deflater {
  private readonly stream = createDeflate(options);
  /** Rejects with the errors of the sink. */
  private readonly copied: Promise<void>;

  constructor(sink: Sink) {
    this.copied = this.copyTo(sink);
  }

  /** Resolves when the bytes of the piece may change. */
  async write(piece: Uint8Array): Promise<void> {
    const written = new Promise<void>((resolve, reject) =>
      this.stream.write(piece, (error) => (error ? reject(error) : resolve())),
    );
    await Promise.race([written, this.copied]);
  }

  async end(): Promise<void> {
    this.stream.end();
    await this.copied;
  }

  private async copyTo(sink: Sink): Promise<void> {
    for await (const chunk of this.stream) await sink(chunk as Buffer);
  }
}

/** Channels of each pixel of four bytes that are stored. */
export interface Pick {
  readonly from: number;
  readonly channels: number;
}

/**
 * Returns a function that filters the rows of a band by the PNG filter Sub: every byte is stored as
 * the difference from that of the pixel before. PDF has the same filter. The result of the next
 * band is in the same buffer.
 */
export function rowFilter(width: number, { from, channels }: Pick): (band: Uint8Array) => Uint8Array {
  const rowBytes = 1 + channels * width;
  let buffer = Buffer.alloc(0);
  return (band) => {
    const rows = band.length / (4 * width);
    if (buffer.length < rows * rowBytes) buffer = Buffer.alloc(rows * rowBytes);
    for (let row = 0, i = from, o = 0; row < rows; row++) {
      buffer[o++] = 1;
      const end = i + 4 * width;
      for (let c = i; c < i + channels; c++) buffer[o++] = band[c]!;
      for (i += 4; i < end; i += 4) for (let c = i; c < i + channels; c++) buffer[o++] = band[c]! - band[c - 4]!;
    }
    return buffer.subarray(0, rows * rowBytes);
  };
}
