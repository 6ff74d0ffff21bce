import { fileURLToPath } from 'node:url';
import { parseS3Url } from '#config';
import type { BlobStore } from './blob-store.js';
import { FolderBlobStore } from './folder-blob-store.js';
import { S3BlobStore, type S3Keys } from './s3-blob-store.js';

/** Credentials of a bucket by their environment variables. */
interface S3Credentials {
  readonly AWS_ACCESS_KEY_ID?: string | undefined;
  readonly AWS_SECRET_ACCESS_KEY?: string | undefined;
  readonly AWS_SESSION_TOKEN?: string | undefined;
}

/**
 * Opens the blob store of a URL: `file:///var/lib/storefront/blobs`, or
 * `s3://bucket/prefix?region=eu-west-1`, see `parseS3Url`. Does not connect.
 *
 * @throws TypeError for an invalid URL, for another scheme, and for a bucket if only one of the two
 *   keys is set
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
    throw new TypeError('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together: one is missing');
  return { accessKeyId: id, secretAccessKey: secret, ...(token && { sessionToken: token }) } satisfies S3Keys;
}
