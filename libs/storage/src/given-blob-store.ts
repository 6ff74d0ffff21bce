import { z } from 'zod';
import { readEnvironment, s3Credentials, withBothS3Keys } from '#config';
import type { BlobStore } from './blob-store.js';
import { openBlobStore } from './open-blob-store.js';

/** The settings of a blob store in a bucket. */
export const BlobStoreEnvironment = withBothS3Keys(z.object(s3Credentials));

/**
 * The blob store of a URL, with the keys that the environment has for it, see `openBlobStore`.
 *
 * @throws EnvironmentError for one key without the other
 */
export const givenBlobStore = (url: string): BlobStore => openBlobStore(url, readEnvironment(BlobStoreEnvironment));
