import { createHash } from 'node:crypto';
import { imagePath } from './image-url.js';
import type { ExternalImage } from './messages/material-rendering.js';

/** Folders of the blob store: copies of all external images, and those of a user. */
export const externalImagesFolder = 'external';
export const externalImagesFolderOf = (userId: number): string => `${externalImagesFolder}/${userId}`;

/** Folder of the copies of one subject, such as the avatar of a user: one copy for each URL. */
export const externalImageFolder = ({ userId, kind, id }: Omit<ExternalImage, 'url'>): string =>
  `${externalImagesFolderOf(userId)}/${kind}/${id}`;

/** Blob key of the copy. Each URL has another key. */
export const externalImageKey = (image: ExternalImage): string =>
  `${externalImageFolder(image)}/${createHash('sha256').update(image.url).digest('hex').slice(0, 32)}.webp`;

/** Path of the copy, relative to the base address. */
export const externalImagePath = (image: ExternalImage): string => `${imagePath}/${externalImageKey(image)}`;
