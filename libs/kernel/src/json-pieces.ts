/** Part of a JSON text: a string, or bytes that are ready to be copied. */
export type JsonPiece = string | Buffer;

const initialSlabBytes = 64 * 1024;
const maxSlabBytes = 4 * 1024 * 1024;
let slab: Buffer = Buffer.allocUnsafeSlow(initialSlabBytes);

/**
 * Returns the concatenated pieces as UTF-8. A joined string takes two bytes per character as soon
 * as one of its characters is not Latin-1. Encoding 100 KB of such a string costs three times as
 * much as copying its pieces.
 */
export function joinJson(pieces: readonly JsonPiece[]): Buffer {
  let length = 0;
  for (const piece of pieces) {
    // A UTF-16 unit is at most three bytes of UTF-8
    const maxBytes = typeof piece === 'string' ? 3 * piece.length : piece.length;
    if (length + maxBytes > slab.length) slab = enlarged(length, length + maxBytes);
    length += typeof piece === 'string' ? slab.write(piece, length) : piece.copy(slab, length);
  }
  // Not from Node's pool: a few bytes in a cache would retain a whole block of the pool
  const bytes = Buffer.allocUnsafeSlow(length);
  slab.copy(bytes, 0, 0, length);
  if (slab.length > maxSlabBytes) slab = Buffer.allocUnsafeSlow(initialSlabBytes);
  return bytes;
}

function enlarged(used: number, length: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(2 * length);
  slab.copy(larger, 0, 0, used);
  return larger;
}

/** Returns the members of an array or object with commas between them. */
export const commaSeparated = (members: readonly (readonly JsonPiece[])[]): JsonPiece[] =>
  members.flatMap((pieces, at) => (at === 0 ? pieces : [',', ...pieces]));
