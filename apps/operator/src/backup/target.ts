import { readEnv } from '../env.js';
import type { RestoreTarget } from './restore.js';

/** Returns the target of a restore from the environment. @throws Error with a one-line message */
export function restoreTarget(): RestoreTarget {
  const { DATABASE_URL: databaseUrl, BLOB_STORE_URL: blobStoreUrl, DATABASE_ROLES_SECRET: rolesSecret } = readEnv();
  if (databaseUrl === undefined) throw new Error('DATABASE_URL is missing: the database to restore into.');
  if (blobStoreUrl === undefined) throw new Error('BLOB_STORE_URL is missing: the blob store to restore into.');
  return { databaseUrl, blobStoreUrl, ...(rolesSecret !== undefined && { rolesSecret }) };
}
