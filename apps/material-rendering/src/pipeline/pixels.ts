const mostSpareBytes = 8 * 1024 * 1024;

/** The least recently returned first. */
const spare: Buffer[] = [];
const lent = new WeakSet<Buffer>();

/**
 * Room for the pixels of one image; what is in it is left from an earlier one. Whoever is the last to look at the
 * image gives it back. A new buffer each time is memory outside the heap that the garbage collector answers for: it
 * runs for every second image of 765 x 765 then, which costs as much as a third of the encoding.
 */
export function borrowPixels(bytes: number): Buffer {
  const index = spare.findIndex(({ length }) => length === bytes);
  const pixels = index < 0 ? Buffer.allocUnsafeSlow(bytes) : spare.splice(index, 1)[0]!;
  lent.add(pixels);
  return pixels;
}

/** Keeps them for the next image of that size. Does nothing with pixels that were not borrowed
 * (blanks are kept elsewhere), and lets go at once what is larger than all that is kept. */
export function giveBackPixels(pixels: Buffer): void {
  if (!lent.delete(pixels) || pixels.length > mostSpareBytes) return;
  spare.push(pixels);
  while (spare.reduce((sum, { length }) => sum + length, 0) > mostSpareBytes) spare.shift();
}
