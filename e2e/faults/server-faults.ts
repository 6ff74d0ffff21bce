import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Fleet, FleetServer } from '../fleet/fleet.js';
import type { Fault } from './fault.js';

const downMs = 1_000;

/** Stops a server and starts it on the same port after a second. */
const ended = (name: string, server: FleetServer['name'], signal: 'SIGKILL' | 'SIGINT'): Fault => ({
  name,
  async inject({ servers }) {
    await servers[server].kill(signal);
    await sleep(downMs);
    await servers[server].start();
  },
});

const cuts = 5;
const betweenCutsMs = 200;

const cutAll = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;

/**
 * Closes connections several times: the first time most are idle, later times cut running
 * statements.
 */
async function cutConnections({ servers }: Fleet): Promise<void> {
  const client = new pg.Client({ connectionString: servers.postgres.url });
  await client.connect();
  try {
    for (let cut = 1; cut <= cuts; cut += 1) {
      await client.query(cutAll);
      if (cut < cuts) await sleep(betweenCutsMs);
    }
  } finally {
    await client.end();
  }
}

/** Faults of servers. */
export const serverFaults: readonly Fault[] = [
  ended('requests Redis killed, back empty', 'requests', 'SIGKILL'),
  ended('jobs Redis killed, back from its file', 'jobs', 'SIGKILL'),
  ended('PostgreSQL restarted', 'postgres', 'SIGINT'),
  ended('PostgreSQL killed, back after recovery', 'postgres', 'SIGKILL'),
  { name: 'PostgreSQL cuts all connections', inject: cutConnections },
];
