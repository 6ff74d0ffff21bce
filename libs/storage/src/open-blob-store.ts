import { fileURLToPath } from 'node:url';
import { parseS3Url } from '#config';
import type { BlobStore } from './blob-store.js';
import { FolderBlobStore } from './folder-blob-store.js';
import { S3BlobStore, type S3Keys } from './s3-blob-store.js';

/** The settings with the keys of a bucket, as the environment has them. */
interface S3Credentials {
  readonly AWS_ACCESS_KEY_ID?: string | undefined;
  readonly AWS_SECRET_ACCESS_KEY?: string | undefined;
  readonly AWS_SESSION_TOKEN?: string | undefined;
}

/**
 * The blob store of a URL: `file:///var/lib/storefront/blobs`, or `s3://bucket/prefix?region=eu-west-1`, see `parseS3Url`.
 * Nothing is asked of it yet.
 *
 * @throws TypeError for a URL of another kind, and for one key without the other
 */
export function openBlobStore(url: string, credentials: S3Credentials = {}): BlobStore {
  const { protocol } = new URL(url);
  if (protocol === 's3:') return new S3BlobStore(parseS3Url(url), keysOf(credentials));
  if (protocol !== 'file:') throw new TypeError(`BLOB_STORE_URL: ${protocol}// is not supported`);
  return new FolderBlobStore(fileURLToPath(url).replace(/(?<![/\\])[/\\]+$/, ''));
}

function keysOf({ AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token }: S3Credentials) {
  if (id === undefined && secret === undefined) return undefined;
  if (id === undefined || secret === undefined)
    throw new TypeError('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY go together: one is missing');
  return { accessKeyId: id, secretAccessKey: secret, ...(token && { sessionToken: token }) } satisfies S3Keys;
}
