import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseS3Url } from '#config';
import { blobStoreFromEnvironment } from '#storage';
import { StartFailure } from '../failure.js';
import { checkRedis } from '../redis/check-redis.js';
import { makeFolder } from '../system/make-folder.js';
import type { StackSettings } from '../settings.js';

function folderOf(blobStoreUrl: string): string {
  try {
    return fileURLToPath(blobStoreUrl);
  } catch {
    throw new StartFailure('BLOB_STORE_URL: must name a folder of this machine, as file:///folder.');
  }
}

/**
 * Creates the folder of the blob store, and writes and deletes a test blob.
 *
 * @throws StartFailure if the store cannot be written
 * @throws EnvironmentError if a setting of the store is invalid
 */
export async function checkBlobStore(blobStoreUrl: string): Promise<void> {
  const folder = blobStoreUrl.startsWith('s3:') ? null : folderOf(blobStoreUrl);
  const store = blobStoreFromEnvironment(blobStoreUrl);
  const key = `write-test-${randomUUID()}`;
  try {
    if (folder !== null) await makeFolder(folder, 0o700);
    await store.put(key, Buffer.from('x'));
    await store.delete(key);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const place = folder === null ? `bucket ${parseS3Url(blobStoreUrl).bucket}` : `folder ${folder}`;
    throw new StartFailure(`BLOB_STORE_URL: the ${place} cannot be written (${code ?? String(error)}).`);
  }
}

/**
 * Checks the external Redis servers and the blob store before the stack starts, because apps would
 * retry without end. PostgreSQL is checked by the migrations.
 *
 * @throws StartFailure with the name of the setting
 * @throws EnvironmentError if a setting of the blob store is invalid
 */
export async function checkRedisAndBlobStore(settings: StackSettings): Promise<void> {
  if (settings.requestsUrl !== undefined) await checkRedis('REDIS_REQUESTS_URL', settings.requestsUrl);
  if (settings.jobsUrl !== undefined) await checkRedis('REDIS_JOBS_URL', settings.jobsUrl);
  await checkBlobStore(settings.blobStoreUrl);
}
