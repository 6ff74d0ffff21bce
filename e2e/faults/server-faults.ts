import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Fleet, FleetServer } from '../fleet/fleet.js';
import type { Fault } from './fault.js';

const downMs = 1_000;

/** Returns the fault that a server ends by a signal and starts on the same port after a second. */
const restartFault = (name: string, server: FleetServer['name'], signal: 'SIGKILL' | 'SIGINT'): Fault => ({
  name,
  async inject({ servers }) {
    await servers[server].kill(signal);
    await sleep(downMs);
    await servers[server].start();
  },
});

const cutCount = 5;
const betweenCutsMs = 200;

const terminateOthers = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;

/**
 * Closes all connections to PostgreSQL five times. The first time most are idle; the later times
 * statements of reconnected apps are running.
 */
async function cutConnections({ servers }: Fleet): Promise<void> {
  const client = new pg.Client({ connectionString: servers.postgres.url });
  await client.connect();
  try {
    for (let cut = 1; cut <= cutCount; cut += 1) {
      await client.query(terminateOthers);
      if (cut < cutCount) await sleep(betweenCutsMs);
    }
  } finally {
    await client.end();
  }
}

const fullForMs = 3_000;

const rejections = async (redis: Redis): Promise<number> =>
  Number(/errorstat_OOM:count=(\d+)/.exec(await redis.info('errorstats'))?.[1] ?? 0);

/** Lets a Redis reject all writes that need memory for some seconds. */
async function fillQueues({ servers }: Fleet): Promise<void> {
  const redis = new Redis(servers.jobs.url);
  try {
    const before = await rejections(redis);
    await redis.config('SET', 'maxmemory', '1');
    await sleep(fullForMs);
    await redis.config('SET', 'maxmemory', '0');
    if ((await rejections(redis)) === before) throw new Error('The full Redis has rejected nothing.');
  } finally {
    redis.disconnect();
  }
}

/** Faults of servers. */
export const serverFaults: readonly Fault[] = [
  restartFault('requests Redis killed, back empty', 'requests', 'SIGKILL'),
  restartFault('jobs Redis killed, back from its file', 'jobs', 'SIGKILL'),
  restartFault('PostgreSQL restarted', 'postgres', 'SIGINT'),
  restartFault('PostgreSQL killed, back after recovery', 'postgres', 'SIGKILL'),
  { name: 'jobs Redis full', inject: fillQueues },
  { name: 'PostgreSQL cuts all connections', inject: cutConnections },
];
