import { createHash } from 'node:crypto';
import { imagePath } from './image-url.js';
import type { ProfileImage } from './messages/material-rendering.js';

/** Folders of the blob store: all profile images, and those of a user. */
export const profileImagesFolder = 'profiles';
export const profileImageFolder = (userId: number): string => `${profileImagesFolder}/${userId}`;

/** Blob key of the copy. Each URL has another key. */
export const profileImageKey = ({ userId, kind, url }: ProfileImage): string =>
  `${profileImageFolder(userId)}/${kind}/${createHash('sha256').update(url).digest('hex').slice(0, 32)}.webp`;

/** Path of the copy, relative to the base address. */
export const profileImagePath = (image: ProfileImage): string => `${imagePath}/${profileImageKey(image)}`;
