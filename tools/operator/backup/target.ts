import { z } from 'zod';
import { readEnvironment, rolesSecret as rolesSecretSetting } from '#config';
import { startPostgres } from '#dev-stack';
import { DataFolder } from '../../dev-stack/data-folder.js';
import { createDatabase } from '../../dev-stack/servers.js';
import { readSettings } from '../../dev-stack/settings.js';
import { givenStores } from '../stores.js';
import type { RestoreTarget } from './restore.js';

export const Environment = z.object({ DATABASE_ROLES_SECRET: rolesSecretSetting });

/**
 * Does something to the stores of a stack that is not running: those of the environment, or those that `npm start` keeps
 * in DATA_DIR, whose PostgreSQL is started for as long as it takes.
 *
 * @throws StartFailure when a stack runs in DATA_DIR; Error with one line for people
 */
export async function withTarget<R>(work: (target: RestoreTarget) => Promise<R>): Promise<R> {
  const { databaseUrl, blobStoreUrl } = givenStores();
  const { DATABASE_ROLES_SECRET: rolesSecret } = readEnvironment(Environment);
  const roles = rolesSecret === undefined ? {} : { rolesSecret };
  if (databaseUrl !== undefined && blobStoreUrl !== undefined) return work({ databaseUrl, blobStoreUrl, ...roles });
  if (databaseUrl !== undefined) throw new Error('BLOB_STORE_URL is missing: it says where the blobs go.');
  const settings = readSettings(process.env);
  const folder = await DataFolder.claim(settings.dataDir);
  try {
    const server = await startPostgres({ dataDir: folder.file('postgres') });
    try {
      const own = await createDatabase(server.url);
      return await work({ databaseUrl: own, blobStoreUrl: settings.blobStoreUrl, ...roles });
    } finally {
      await server.stop();
    }
  } finally {
    await folder.release(false);
  }
}
