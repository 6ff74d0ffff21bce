import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { s3Place } from '#config';
import { givenBlobStore } from '#storage';
import { StartFailure } from '../failure.js';
import { checkRedis } from '../redis/given-redis.js';
import { makeFolder } from '../system/make-folder.js';
import type { StackSettings } from '../settings.js';

function folderOf(blobStoreUrl: string): string {
  try {
    return fileURLToPath(blobStoreUrl);
  } catch {
    throw new StartFailure('BLOB_STORE_URL: must name a folder of this machine, as file:///folder.');
  }
}

/** Makes the folder of the blob store, and writes and removes a blob as the apps will. @throws StartFailure, EnvironmentError */
export async function checkBlobStore(blobStoreUrl: string): Promise<void> {
  const folder = blobStoreUrl.startsWith('s3:') ? null : folderOf(blobStoreUrl);
  const store = givenBlobStore(blobStoreUrl);
  const key = `write-test-${randomUUID()}`;
  try {
    if (folder !== null) await makeFolder(folder, 0o700);
    await store.put(key, Buffer.from('x'));
    await store.delete(key);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const place = folder === null ? `bucket ${s3Place(blobStoreUrl).bucket}` : `folder ${folder}`;
    throw new StartFailure(`BLOB_STORE_URL: the ${place} cannot be written (${code ?? String(error)}).`);
  }
}

/**
 * Tries what the stack is given and does not start itself, before anything is started: an app would only try again.
 * A given PostgreSQL is tried by the migrations.
 *
 * @throws StartFailure one line with the variable's name
 */
export async function checkGiven(settings: StackSettings): Promise<void> {
  if (settings.requestsUrl !== undefined) await checkRedis('REDIS_REQUESTS_URL', settings.requestsUrl);
  if (settings.jobsUrl !== undefined) await checkRedis('REDIS_JOBS_URL', settings.jobsUrl);
  await checkBlobStore(settings.blobStoreUrl);
}
