/** JSON in the making: texts, and bytes that are ready to be copied. */
export type JsonPiece = string | Buffer;

const usualBytes = 64 * 1024;
const keptBytes = 4 * 1024 * 1024;
let slab: Buffer = Buffer.allocUnsafeSlow(usualBytes);

/**
 * The pieces one behind the other. Pieces, because a text that is joined takes two bytes for each character as soon as one
 * of them is no Latin-1, and to write 100 KB of such a text as UTF-8 costs three times what copying its parts costs.
 */
export function joinJson(pieces: readonly JsonPiece[]): Buffer {
  let length = 0;
  for (const piece of pieces) {
    // A UTF-16 unit is at most three bytes of UTF-8
    const most = typeof piece === 'string' ? 3 * piece.length : piece.length;
    if (length + most > slab.length) slab = enlarged(length, length + most);
    length += typeof piece === 'string' ? slab.write(piece, length) : piece.copy(slab, length);
  }
  // Not of Node's pool, which a few bytes that are kept would keep
  const bytes = Buffer.allocUnsafeSlow(length);
  slab.copy(bytes, 0, 0, length);
  if (slab.length > keptBytes) slab = Buffer.allocUnsafeSlow(usualBytes);
  return bytes;
}

function enlarged(used: number, wanted: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(2 * wanted);
  slab.copy(larger, 0, 0, used);
  return larger;
}

/** Members of an array, or of an object. */
export const commaSeparated = (members: readonly (readonly JsonPiece[])[]): JsonPiece[] =>
  members.flatMap((pieces, at) => (at === 0 ? pieces : [',', ...pieces]));
