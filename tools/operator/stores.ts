import { z } from 'zod';
import { blobStoreUrl, databaseUrl, EnvironmentError, readEnvironment, redisJobsUrl } from '#config';
import { runningStack, type StackAddress } from '../stack-address.js';

/** Where a stack keeps what it has to keep. The database as the owner of all schemas. */
export type Stores = Pick<StackAddress, 'databaseUrl' | 'jobsUrl' | 'blobStoreUrl'>;

export const Environment = z.object({
  DATABASE_URL: databaseUrl.optional(),
  REDIS_JOBS_URL: redisJobsUrl.optional(),
  BLOB_STORE_URL: blobStoreUrl.optional(),
});

/** What the environment says of stores. @throws Error with one line for people */
export function givenStores(): Partial<Stores> {
  try {
    const { DATABASE_URL, REDIS_JOBS_URL, BLOB_STORE_URL } = readEnvironment(Environment);
    return {
      ...(DATABASE_URL && { databaseUrl: DATABASE_URL }),
      ...(REDIS_JOBS_URL && { jobsUrl: REDIS_JOBS_URL }),
      ...(BLOB_STORE_URL && { blobStoreUrl: BLOB_STORE_URL }),
    };
  } catch (error) {
    throw error instanceof EnvironmentError ? new Error(error.problems.join('; ')) : error;
  }
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
