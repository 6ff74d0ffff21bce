import { sharp } from '#images';

const createOne = (): Promise<Buffer> =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: '#ff0000' } })
    .webp({ lossless: true })
    .toBuffer();

/**
 * Returns a lossless WebP of one color, up to 16383 x 16383. A pixel needs no bits, so that every
 * size takes 36 bytes.
 */
export async function flatWebp(width: number, height: number): Promise<Buffer> {
  const image = await createOne();
  // RIFF header, chunk header, signature; then 14 bits of width - 1, 14 of height - 1, and 4 others
  const others = image.readUInt32LE(21) & 0xf0000000;
  image.writeUInt32LE((others | ((height - 1) << 14) | (width - 1)) >>> 0, 21);
  return image;
}

/** Returns an extended WebP whose header claims another size than its image has. */
export async function claimWebpSize(width: number, height: number): Promise<Buffer> {
  const still = (await createOne()).subarray(12);
  const head = Buffer.alloc(30);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(still.length + 22, 4);
  head.write('WEBPVP8X', 8, 'latin1');
  head.writeUInt32LE(10, 16);
  head.writeUIntLE(width - 1, 24, 3);
  head.writeUIntLE(height - 1, 27, 3);
  return Buffer.concat([head, still]);
}
