import { problems, type PreviewArtwork, type PreviewImage, type Texture } from '#contracts';
import { DomainError } from '#kernel';
import type { RenderSpec } from '../images/image.rules.js';

/** Folder of the blob store with the artworks that are stored for previews only. */
export const previewTexturesFolder = 'preview-textures';

/** Folder with the artworks of a user. */
export const previewTexturesFolderOf = (userId: number): string => `${previewTexturesFolder}/${userId}`;

type PreviewEnd = Pick<PreviewArtwork, 'expiresAt' | 'sweepAt'>;

/**
 * Returns the end of previews that are created now. Sweep times are a quarter of the lifetime
 * apart, so that previews of the same artwork share its blob. No request writes a blob whose sweep
 * time has passed.
 */
export function previewEnd(now: Date, lifetimeSeconds: number): PreviewEnd {
  const expiresAt = Math.ceil(now.getTime() / 1_000) + lifetimeSeconds;
  const stepSeconds = Math.ceil(lifetimeSeconds / 4);
  return { expiresAt, sweepAt: Math.ceil(expiresAt / stepSeconds) * stepSeconds };
}

/** Returns the key of an artwork of a user. */
export const previewTextureKey = (userId: number, { hash }: Pick<Texture, 'hash'>, { sweepAt }: PreviewEnd): string =>
  `${previewTexturesFolderOf(userId)}/${sweepAt}.${hash}`;

/** Returns the sweep time of an artwork or a rendered preview by its key, in seconds since 1970. */
export const sweepTimeOf = (key: string): number => Number(/\/(\d+)[./][0-9a-f]{64}(?:\.webp)?$/.exec(key)?.[1]);

/** Limit of the artworks that are stored for previews of one user. */
export const previewTextureBytes = 400 * 1024 * 1024;

/**
 * @param usedBytes bytes of the artworks of the user
 * @throws DomainError texture.quota-exceeded
 */
export function checkPreviewTextures(usedBytes: number, { bytes }: Pick<Texture, 'bytes'>): void {
  if (usedBytes + bytes <= previewTextureBytes) return;
  throw new DomainError(
    problems['texture.quota-exceeded'],
    `the images of current previews have ${usedBytes} of ${previewTextureBytes} bytes, and ${bytes} more are needed; retry when they have expired`,
  );
}

/** Returns the parameters of the image of a preview. */
export function previewSpecOf(image: PreviewImage): RenderSpec {
  const { itemName, angle, side, rgb, place, texture, resizeMode, placed, oneOfMany, layers } = image;
  return {
    itemName,
    angle,
    width: side,
    height: side,
    rgb,
    resizeMode,
    oneOfMany,
    prints: [{ place, textureHash: texture.hash, ...(placed && { placed }) }],
    blob: { key: texture.key, aspect: texture.width / texture.height },
    adjustment: null,
    format: 'webp',
    ...(layers && { layers }),
  };
}
