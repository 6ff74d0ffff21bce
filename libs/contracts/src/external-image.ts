import { createHash } from 'node:crypto';
import { imagePath } from './urls/image-url.js';
import type { ExternalImage } from './messages/material-rendering.js';

/** Folder of the blob store with the copies of all external images. */
export const externalImagesFolder = 'external';
/** Folder with the copies of a user. */
export const externalImagesFolderOf = (userId: number): string => `${externalImagesFolder}/${userId}`;

/**
 * Folder with the copy of one image, such as the avatar of a user. Each URL has another key, so the
 * folder has several copies for a moment when the URL changes.
 */
export const externalImageFolder = ({ userId, kind, id }: Omit<ExternalImage, 'url'>): string =>
  `${externalImagesFolderOf(userId)}/${kind}/${id}`;

/** Blob key of the copy. Each URL has another key. */
export const externalImageKey = (image: ExternalImage): string =>
  `${externalImageFolder(image)}/${createHash('sha256').update(image.url).digest('hex').slice(0, 32)}.webp`;

/** Path of the copy, relative to the base address. */
export const externalImagePath = (image: ExternalImage): string => `${imagePath}/${externalImageKey(image)}`;
