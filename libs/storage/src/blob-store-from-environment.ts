import { z } from 'zod';
import { readEnvironment, s3Credentials, withBothS3Keys } from '#config';
import type { BlobStore } from './blob-store.js';
import { openBlobStore } from './open-blob-store.js';

/** Settings with the credentials of a bucket. */
export const BlobStoreEnvironment = withBothS3Keys(z.object(s3Credentials));

/**
 * Opens the blob store of a URL with the credentials in the environment, see `openBlobStore`.
 *
 * @throws EnvironmentError if only one of the two keys is set
 * @throws TypeError for an invalid URL
 */
export const blobStoreFromEnvironment = (url: string): BlobStore =>
  openBlobStore(url, readEnvironment(BlobStoreEnvironment));
