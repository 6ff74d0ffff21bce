import { readEnv } from '../env.js';
import type { RestoreTarget } from './restore.js';

/** The stores of the environment that a backup is restored into. @throws Error with one line for people */
export function restoreTarget(): RestoreTarget {
  const { DATABASE_URL: databaseUrl, BLOB_STORE_URL: blobStoreUrl, DATABASE_ROLES_SECRET: rolesSecret } = readEnv();
  if (databaseUrl === undefined) throw new Error('DATABASE_URL is missing: it says where the tables go.');
  if (blobStoreUrl === undefined) throw new Error('BLOB_STORE_URL is missing: it says where the blobs go.');
  return { databaseUrl, blobStoreUrl, ...(rolesSecret !== undefined && { rolesSecret }) };
}
