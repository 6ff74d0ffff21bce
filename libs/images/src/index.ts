import sharp, { type Sharp } from 'sharp';

/**
 * Instance of sharp, configured once for the process. All code that processes pixels imports it
 * from here.
 *
 * - One thread per operation and two to four concurrent operations render 1.6 to 1.8 times as many
 *   images on two cores as two threads per operation. The cache of operations is off, because it
 *   occupies memory and no image is rendered twice.
 * - Loaders are an allow-list. The first bytes of a file select the loader, never its name.
 *   Formats that contain programs or references (SVG, PDF) and decoders that are seldom tested
 *   (TIFF, JPEG 2000) are blocked in this process.
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

/**
 * Limit of decoded pixels; AVIF has a lower one in textures/texture.rules.ts. The worst case is a
 * 16 bit interlaced PNG of this size, which needs 455 MB.
 */
const maxTexturePixels = 50_000_000;

/**
 * Opens the bytes of a client's image: first frame only, orientation applied, pixel limit checked
 * against the header, damaged files rejected. Decoding happens when the result is used.
 */
export function openTexture(bytes: Buffer): Sharp {
  return sharp(asStill(bytes), {
    limitInputPixels: maxTexturePixels,
    sequentialRead: true,
    failOn: 'warning',
    autoOrient: true,
  });
}

/**
 * Changes the brand of an animated AVIF, which libvips does not support, so that its cover image is
 * opened.
 */
function asStill(bytes: Buffer): Buffer {
  if (bytes.toString('latin1', 4, 12) !== 'ftypavis') return bytes;
  const still = Buffer.from(bytes);
  still.write('avif', 8, 'latin1');
  return still;
}

export { sharp, type Sharp };
