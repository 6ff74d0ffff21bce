import { open } from 'node:fs/promises';
import type { StoredPart } from './stored-parts.js';

/** More than any corrected header or EXIF data with an orientation. */
const maxAddedBytes = 1_024;
const emptyPiece = Buffer.alloc(64 * 1024);

/**
 * Reads the parts of a file, piece by piece.
 *
 * @throws Error when a part has a negative length, or all parts have over 1 KiB more bytes than the
 *   file: parts are not trusted, because they come from the child process that decodes images of
 *   clients
 */
export async function* readParts(path: string, parts: readonly StoredPart[]): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    let left = (await file.stat()).size + maxAddedBytes;
    for (const part of parts) {
      const length = 'bytes' in part ? part.bytes.length : 'zeros' in part ? part.zeros : part.to - part.from;
      left -= length;
      if (length < 0 || left < 0) throw new Error('The parts of a texture have more bytes than its file');
      if ('bytes' in part) yield part.bytes;
      else if ('zeros' in part) yield* zeros(part.zeros);
      else yield* file.createReadStream({ start: part.from, end: part.to - 1, autoClose: false });
    }
  } finally {
    await file.close();
  }
}

function* zeros(count: number): Generator<Uint8Array> {
  for (let left = count; left > 0; left -= emptyPiece.length) yield emptyPiece.subarray(0, left);
}
