import pg from 'pg';
import type { DataFolder } from './data-folder.js';
import { freePort } from './free-port.js';
import { startPostgres } from './postgres.js';
import { startRedis } from './redis.js';
import type { StackSettings } from './settings.js';
import { WatchedServer } from './watched-server.js';

/** The servers that the apps use, given or started. */
export interface Servers {
  readonly databaseUrl: string;
  readonly requestsUrl: string;
  readonly jobsUrl: string;
}

/** What must be stopped at the end, in reverse order. */
export type Stops = (() => Promise<void>)[];

const database = 'storefront';

async function createDatabase(url: string): Promise<string> {
  const admin = new pg.Client(url);
  await admin.connect();
  try {
    const { rowCount } = await admin.query('select 1 from pg_database where datname = $1', [database]);
    if (rowCount === 0) await admin.query(`create database ${database}`);
  } finally {
    await admin.end();
  }
  const own = new URL(url);
  own.pathname = `/${database}`;
  return own.href;
}

async function ownPostgres(folder: DataFolder, port: number, stops: Stops): Promise<string> {
  const server = await WatchedServer.start('PostgreSQL', port, (onPort) =>
    startPostgres({ dataDir: folder.file('postgres'), port: onPort }),
  );
  stops.push(() => server.stop());
  return createDatabase(server.url);
}

async function ownRedis(folder: DataFolder, port: number, stops: Stops): Promise<string> {
  const server = await WatchedServer.start('Redis', port, (onPort) =>
    startRedis({ dataDir: folder.file('redis'), port: onPort, appendOnly: true }),
  );
  stops.push(() => server.stop());
  return server.url;
}

/** Ports are remembered, so that a client of the database finds it again after the next start. */
async function ports(folder: DataFolder): Promise<{ postgres: number; redis: number }> {
  const known = await folder.kept('ports.json', () => ({ postgres: 0, redis: 0 }));
  const postgres = await freePort(known.postgres);
  let redis = await freePort(known.redis);
  while (redis === postgres) redis = await freePort();
  await folder.replace('ports.json', { postgres, redis });
  return { postgres, redis };
}

/**
 * Starts PostgreSQL and Redis where no URL was given.
 *
 * @throws StartFailure
 */
export async function startServers(settings: StackSettings, folder: DataFolder, stops: Stops): Promise<Servers> {
  const port = await ports(folder);
  const needsRedis = settings.requestsUrl === undefined || settings.jobsUrl === undefined;
  const started = await Promise.allSettled([
    settings.databaseUrl ?? ownPostgres(folder, port.postgres, stops),
    needsRedis ? ownRedis(folder, port.redis, stops) : '',
  ]);
  // Only after both have ended: what did start must be among the stops before the failure is told
  const [databaseUrl, redisUrl] = started.map((result) => {
    if (result.status === 'rejected') throw result.reason as Error;
    return result.value;
  });
  return {
    databaseUrl: databaseUrl!,
    requestsUrl: settings.requestsUrl ?? redisUrl!,
    jobsUrl: settings.jobsUrl ?? redisUrl!,
  };
}
