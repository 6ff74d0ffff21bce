import { join } from 'node:path';
import { startPostgres } from '../../tools/dev-stack/postgres/postgres.js';
import { startRedis } from '../../tools/dev-stack/redis/redis.js';
import { createDatabase } from '../../tools/dev-stack/servers/servers.js';
import { OwnServer } from './fleet-server.js';
import type { Keeper } from './keep.js';

export interface OwnServers {
  readonly postgres: OwnServer;
  readonly requests: OwnServer;
  readonly jobs: OwnServer;
}

/** Durable, as in production: a killed server has all that it acknowledged. The Redis of requests keeps nothing. */
export async function startServers(folder: string, { note }: Keeper): Promise<OwnServers> {
  const starts = [
    OwnServer.start({
      name: 'postgres',
      startOn: async (port) => {
        const server = await startPostgres({ dataDir: join(folder, 'postgres'), port });
        return { ...server, url: await createDatabase(server.url) };
      },
      onStart: note,
    }),
    OwnServer.start({
      name: 'requests',
      startOn: (port) => startRedis({ dataDir: join(folder, 'redis-requests'), port }),
      onStart: note,
    }),
    OwnServer.start({
      name: 'jobs',
      startOn: (port) => startRedis({ dataDir: join(folder, 'redis-jobs'), port, appendOnly: true }),
      onStart: note,
    }),
  ] as const;
  // Only after all have ended: what did start must be known to the keeper before the failure is told
  await Promise.allSettled(starts);
  const [postgres, requests, jobs] = await Promise.all(starts);
  return { postgres, requests, jobs };
}
