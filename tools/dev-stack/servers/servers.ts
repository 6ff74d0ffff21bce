import pg from 'pg';
import { type RedisUrls, redisUrlsOf } from '../apps/apps.js';
import type { DataFolder } from '../data-folder.js';
import { freePort } from '../system/free-port.js';
import { startPostgres } from '../postgres/postgres.js';
import { startRedis, type RunningRedis } from '../redis/redis.js';
import type { StackSettings } from '../settings.js';
import { WatchedServer } from './watched-server.js';

/** Servers of the apps, external or started. */
export interface Servers {
  readonly databaseUrl: string;
  /** URL with the user of the operator, as `jobsUrl`. */
  readonly requestsUrl: string;
  readonly jobsUrl: string;
  readonly redisUrls: RedisUrls;
}

type UrlOf = RunningRedis['urlOf'];

/** External Redis without own users: all apps use the same URL. */
const externalRedis = (url: string): Promise<UrlOf> => Promise.resolve(() => url);

/** Functions that stop the started servers, called concurrently. */
export type Stops = (() => Promise<void>)[];

const database = 'storefront';

/** Creates the database of the storefront if it is missing. @returns its URL */
export async function createDatabase(url: string): Promise<string> {
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
  return createDatabase(server.current.url);
}

/** Starts redis-requests without persistence, because requests contain secrets. */
async function ownRequestsRedis(folder: DataFolder, port: number, stops: Stops): Promise<UrlOf> {
  const server = await WatchedServer.start('Requests Redis', port, (onPort) =>
    startRedis({ dataDir: folder.file('redis-requests'), port: onPort, users: 'requests' }),
  );
  stops.push(() => server.stop());
  return server.current.urlOf;
}

async function ownJobsRedis(folder: DataFolder, port: number, stops: Stops): Promise<UrlOf> {
  const server = await WatchedServer.start('Jobs Redis', port, (onPort) =>
    startRedis({ dataDir: folder.file('redis'), port: onPort, appendOnly: true, users: 'jobs' }),
  );
  stops.push(() => server.stop());
  return server.current.urlOf;
}

const noPorts = { postgres: 0, redis: 0, redisRequests: 0, queueBoard: 0 };
type Ports = Readonly<typeof noPorts>;

/** Returns the ports of this start: those of the previous start if free. */
export async function choosePorts(folder: DataFolder): Promise<Ports> {
  const previous = await folder.load('ports.json', () => noPorts);
  const chosen = { ...noPorts };
  for (const name of ['postgres', 'redis', 'redisRequests', 'queueBoard'] as const) {
    let port = await freePort(previous[name]);
    while (Object.values(chosen).includes(port)) port = await freePort();
    chosen[name] = port;
  }
  await folder.replace('ports.json', chosen);
  return chosen;
}

/**
 * Starts PostgreSQL and both Redis, except those with a configured URL.
 *
 * @throws StartFailure
 */
export async function startServers(
  settings: StackSettings,
  folder: DataFolder,
  port: Ports,
  stops: Stops,
): Promise<Servers> {
  const { databaseUrl: given, requestsUrl, jobsUrl } = settings;
  const started = [
    given === undefined ? ownPostgres(folder, port.postgres, stops) : Promise.resolve(given),
    requestsUrl === undefined ? ownRequestsRedis(folder, port.redisRequests, stops) : externalRedis(requestsUrl),
    jobsUrl === undefined ? ownJobsRedis(folder, port.redis, stops) : externalRedis(jobsUrl),
  ] as const;
  // Waits for all starts before the first failure is thrown, so that `stops` has every started
  // server
  await Promise.allSettled(started);
  const [databaseUrl, requestsUrlOf, jobsUrlOf] = await Promise.all(started);
  return {
    databaseUrl,
    requestsUrl: requestsUrlOf('operator'),
    jobsUrl: jobsUrlOf('operator'),
    redisUrls: redisUrlsOf(requestsUrlOf, jobsUrlOf),
  };
}
