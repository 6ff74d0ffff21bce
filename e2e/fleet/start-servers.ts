import { join } from 'node:path';
import { startPostgres } from '../../tools/dev-stack/postgres/postgres.js';
import { startRedis } from '../../tools/dev-stack/redis/redis.js';
import { createDatabase } from '../../tools/dev-stack/servers/servers.js';
import { OwnServer } from './fleet-server.js';
import type { Cleanup } from './cleanup.js';

export interface OwnServers {
  readonly postgres: OwnServer;
  readonly requests: OwnServer;
  readonly jobs: OwnServer;
}

/** Starts the servers, as durable as in production: redis-requests has no persistence. */
export async function startServers(folder: string, { record }: Cleanup): Promise<OwnServers> {
  const starts = [
    OwnServer.start({
      name: 'postgres',
      startOn: async (port) => {
        const server = await startPostgres({ dataDir: join(folder, 'postgres'), port });
        return { ...server, url: await createDatabase(server.url) };
      },
      onStart: record,
    }),
    OwnServer.start({
      name: 'requests',
      startOn: (port) => startRedis({ dataDir: join(folder, 'redis-requests'), port }),
      onStart: record,
    }),
    OwnServer.start({
      name: 'jobs',
      startOn: (port) => startRedis({ dataDir: join(folder, 'redis-jobs'), port, appendOnly: true }),
      onStart: record,
    }),
  ] as const;
  // Waits for all starts, so that the cleanup knows every server before an error is thrown
  await Promise.allSettled(starts);
  const [postgres, requests, jobs] = await Promise.all(starts);
  return { postgres, requests, jobs };
}
