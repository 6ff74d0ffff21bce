import sharp, { type Sharp } from 'sharp';

/**
 * sharp, set up once for the process. Everything that touches pixels takes it from here.
 *
 * - One thread per operation and two to four operations at once draw 1.6 to 1.8 times as many images on two cores as
 *   two threads per operation; the cache of operations only holds memory, no image is ever made twice from it.
 * - Loaders are an allow-list, and the first bytes of a file choose among them, never its name: formats with programs or
 *   references inside (SVG, PDF) and decoders that are seldom tested (TIFF, JPEG 2000) do not exist for this process.
 */
sharp.concurrency(1);
sharp.cache(false);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpeg',
    'VipsForeignLoadPng',
    'VipsForeignLoadWebp',
    'VipsForeignLoadHeif',
    'VipsForeignLoadNsgif',
  ],
});

/** The most pixels that are ever decoded: what a 16 bit interlaced PNG of this size needs (455 MB) is the worst case. */
const maxTexturePixels = 50_000_000;

/**
 * Opens the bytes of an image that a client sent: first frame only, upright, pixel limit checked in the header,
 * damaged files refused. Reading happens when the result is used.
 */
export function openTexture(bytes: Buffer): Sharp {
  return sharp(asStill(bytes), {
    limitInputPixels: maxTexturePixels,
    sequentialRead: true,
    failOn: 'warning',
    autoOrient: true,
  });
}

/** libvips does not know the brand of an animated AVIF. Its cover is an ordinary image: that is what is opened. */
function asStill(bytes: Buffer): Buffer {
  if (bytes.toString('latin1', 4, 12) !== 'ftypavis') return bytes;
  const still = Buffer.from(bytes);
  still.write('avif', 8, 'latin1');
  return still;
}

export { sharp };
