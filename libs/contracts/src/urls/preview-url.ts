import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { imagePath } from './image-url.js';
import { PreviewImage } from '../messages/material-rendering.js';

/**
 * Format of the URLs of previews. catalog writes them, the gateway verifies them. They contain all
 * that the image is rendered from, because nothing is stored for a preview:
 *
 *     {base}/images/v1/previews/{PreviewImage as JSON, base64url}.webp?h={signature}
 */
export const previewPath = `${imagePath}/previews`;

/**
 * Returns the signature of a preview. A file path of a material has no such prefix, so
 * `signFilePath` never returns this signature.
 */
const sign = (payload: string, secret: string): string =>
  createHmac('sha256', secret).update(`preview ${payload}`).digest('base64url');

export function previewUrl(base: string, image: PreviewImage, secret: string): string {
  const payload = Buffer.from(JSON.stringify(withoutNullLayers(image))).toString('base64url');
  return `${base}${previewPath}/${payload}.webp?h=${sign(payload, secret)}`;
}

/**
 * Parses the path of a preview after `/images/v1/previews/`. Null for another signature, which is
 * compared in constant time. Does not check the expiry.
 */
export function parsePreviewPath(path: string, signature: string, secret: string): PreviewImage | null {
  if (!path.endsWith('.webp')) return null;
  const payload = path.slice(0, -'.webp'.length);
  const [given, expected] = [Buffer.from(signature), Buffer.from(sign(payload, secret))];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  // Another shape: signed by another version
  return PreviewImage.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString())).data ?? null;
}

/** Layers that ship are omitted, so that URLs and keys of their items are those of all versions. */
const withoutNullLayers = (image: PreviewImage): PreviewImage => ({ ...image, layers: image.layers ?? undefined });

/** Folder of the rendered previews. It is below `drawn/`, so that their total size is bounded. */
export const previewsFolder = 'drawn/previews';

/**
 * Returns the blob key of a preview, below the folder of its sweep time. Requests for the same
 * preview share it.
 */
export function previewKey(image: PreviewImage): string {
  const drawn = { ...withoutNullLayers(image), expiresAt: undefined, oneOfMany: undefined };
  const hash = createHash('sha256').update(JSON.stringify(drawn)).digest('hex');
  return `${previewsFolder}/${image.sweepAt}/${hash}.webp`;
}
