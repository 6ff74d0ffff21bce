const maxPoolBytes = 8 * 1024 * 1024;

/** Free buffers, the least recently released first. */
const free: Buffer[] = [];
const inUse = new WeakSet<Buffer>();

/**
 * Returns a buffer for the pixels of one image. The buffer has any content, for example an earlier
 * image, and is released by the last user of the image. New buffers would make the garbage
 * collector run for every second image of 765 x 765, because it counts memory outside the V8 heap;
 * that costs a third as much as the encoding.
 */
export function acquirePixels(bytes: number): Buffer {
  const index = free.findIndex(({ length }) => length === bytes);
  const pixels = index < 0 ? Buffer.allocUnsafeSlow(bytes) : free.splice(index, 1)[0]!;
  inUse.add(pixels);
  return pixels;
}

/**
 * Returns a buffer to the pool for the next image of its size. Has no effect for buffers that are
 * not from the pool, such as cached blanks. A buffer larger than the pool is dropped.
 */
export function releasePixels(pixels: Buffer): void {
  if (!inUse.delete(pixels) || pixels.length > maxPoolBytes) return;
  free.push(pixels);
  while (free.reduce((sum, { length }) => sum + length, 0) > maxPoolBytes) free.shift();
}
