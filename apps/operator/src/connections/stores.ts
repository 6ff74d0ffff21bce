import { runningStack, type StackAddress } from '#config';
import { readEnv } from '../env.js';

/** Where a stack keeps what it has to keep. The database as the owner of all schemas. */
export type Stores = Pick<StackAddress, 'databaseUrl' | 'jobsUrl' | 'blobStoreUrl'>;

/** The stores that the environment names. @throws Error with one line for people */
function givenStores(): Partial<Stores> {
  const { DATABASE_URL, REDIS_JOBS_URL, BLOB_STORE_URL } = readEnv();
  return {
    ...(DATABASE_URL && { databaseUrl: DATABASE_URL }),
    ...(REDIS_JOBS_URL && { jobsUrl: REDIS_JOBS_URL }),
    ...(BLOB_STORE_URL && { blobStoreUrl: BLOB_STORE_URL }),
  };
}

/** The Redis of jobs: the environment wins over the stack of DATA_DIR. @throws Error with one line for people */
export function jobsUrl(): string {
  const { jobsUrl: given } = givenStores();
  if (given !== undefined) return given;
  try {
    return runningStack().jobsUrl;
  } catch (error) {
    throw new Error((error as Error).message.replace('REDIS_REQUESTS_URL', 'REDIS_JOBS_URL'), { cause: error });
  }
}

/**
 * The stores of a running stack: the environment wins over the stack of DATA_DIR.
 *
 * @throws Error with one line for people
 */
export function stores(): Stores {
  const given = givenStores();
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
