import { runningStack, type StackAddress } from '#config';
import { readEnv } from '../env.js';

/**
 * URLs of the stores of a stack: database, as the owner of all schemas, redis-jobs and blob store.
 */
export type Stores = Pick<StackAddress, 'databaseUrl' | 'jobsUrl' | 'blobStoreUrl'>;

/** Returns the stores that the environment configures. @throws Error with a one-line message */
function configuredStores(): Partial<Stores> {
  const { DATABASE_URL, REDIS_JOBS_URL, BLOB_STORE_URL } = readEnv();
  return {
    ...(DATABASE_URL && { databaseUrl: DATABASE_URL }),
    ...(REDIS_JOBS_URL && { jobsUrl: REDIS_JOBS_URL }),
    ...(BLOB_STORE_URL && { blobStoreUrl: BLOB_STORE_URL }),
  };
}

/**
 * Returns the URL of redis-jobs. The environment takes precedence over the stack of DATA_DIR.
 *
 * @throws Error with a one-line message
 */
export function jobsUrl(): string {
  const { jobsUrl: given } = configuredStores();
  if (given !== undefined) return given;
  try {
    return runningStack().jobsUrl;
  } catch (error) {
    throw new Error((error as Error).message.replace('REDIS_REQUESTS_URL', 'REDIS_JOBS_URL'), { cause: error });
  }
}

/**
 * Returns the stores of a running stack. The environment takes precedence over the stack of
 * DATA_DIR.
 *
 * @throws Error with a one-line message
 */
export function stores(): Stores {
  const given = configuredStores();
  const { databaseUrl: database, jobsUrl, blobStoreUrl: blobs } = given;
  if (database !== undefined && jobsUrl !== undefined && blobs !== undefined)
    return { databaseUrl: database, jobsUrl, blobStoreUrl: blobs };
  const missing = 'or set DATABASE_URL, REDIS_JOBS_URL and BLOB_STORE_URL';
  try {
    return { ...runningStack(), ...given };
  } catch (error) {
    throw new Error((error as Error).message.replace('or set REDIS_REQUESTS_URL', missing), { cause: error });
  }
}
