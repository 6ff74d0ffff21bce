import { z } from 'zod';
import { readEnvironment, s3Credentials, withBothS3Keys } from '#config';
import { type BlobStore, openBlobStore } from '#storage';

export const Environment = withBothS3Keys(z.object(s3Credentials));

/**
 * The blob store of a URL, with the keys that the environment has for it, see `openBlobStore`.
 *
 * @throws EnvironmentError for one key without the other
 */
export const givenBlobStore = (url: string): BlobStore => openBlobStore(url, readEnvironment(Environment));
