import { z } from 'zod';
import { readEnvironment, s3Credentials } from '#config';
import { type BlobStore, openBlobStore } from '#storage';

/** The blob store of a URL, with the keys that the environment has for it, see `openBlobStore`. */
export const givenBlobStore = (url: string): BlobStore => openBlobStore(url, readEnvironment(z.object(s3Credentials)));
