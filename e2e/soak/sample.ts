import { readdir, readFile, readlink } from 'node:fs/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { childrenByParent, processTreeOf, usageOf } from '../../tools/bench/process-usage.js';
import type { Fleet } from '../fleet/fleet.js';

export interface ProcessSample {
  readonly pid: number;
  /** Resident memory in bytes. */
  readonly rss: number;
  /**
   * Resident memory in bytes of child processes: decoders and text renderers, each of which is
   * replaced after 250 tasks.
   */
  readonly childrenRss: number;
  /** Open file descriptors including sockets. */
  readonly handles: number;
  readonly sockets: number;
  readonly threads: number;
}

interface RedisSample {
  readonly clients: number;
  /** Used memory in bytes. */
  readonly memory: number;
}

/** Measurement at one time. */
export interface Measurement {
  readonly processes: Readonly<Record<string, ProcessSample>>;
  /** Resident memory of servers in bytes; of PostgreSQL, that of the postmaster only. */
  readonly servers: Readonly<Record<string, number>>;
  /** Connections to PostgreSQL by role: a service, or the owner of the database. */
  readonly connections: Readonly<Record<string, number>>;
  readonly databaseBytes: number;
  readonly redis: Readonly<Record<'requests' | 'jobs', RedisSample>>;
}

/** A measurement under load. */
export interface Sample extends Measurement {
  /** Minutes since the start of the load. */
  readonly minutes: number;
  /**
   * Requests since the previous sample: successful and failed ones per second, percentiles of the
   * response time in milliseconds.
   */
  readonly requests: { readonly served: number; readonly failed: number; readonly p50: number; readonly p99: number };
}

async function handlesOf(pid: number): Promise<{ handles: number; sockets: number }> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder);
  const targets = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  return { handles: names.length, sockets: targets.filter((target) => target.startsWith('socket:')).length };
}

async function threadsOf(pid: number): Promise<number> {
  return Number(/^Threads:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** Returns the resident memory of processes, 0 for those that have exited. */
async function rssOf(pids: readonly number[]): Promise<number> {
  const each = await Promise.all(
    pids.map((pid) =>
      usageOf(pid).then(
        ({ rss }) => rss,
        () => 0,
      ),
    ),
  );
  return each.reduce((sum, rss) => sum + rss, 0);
}

async function sampleProcess(pid: number, family: ReadonlyMap<number, number[]>): Promise<ProcessSample> {
  const [{ rss }, handles, threads, [, ...children]] = await Promise.all([
    usageOf(pid),
    handlesOf(pid),
    threadsOf(pid),
    processTreeOf(pid, family),
  ]);
  return { pid, rss, ...handles, threads, childrenRss: await rssOf(children) };
}

const connectionsByRole = `
  select replace(usename::text, 'storefront_', '') as role, count(*)::int as count from pg_stat_activity
  where backend_type = 'client backend' and usename is not null and pid <> pg_backend_pid() group by 1`;

const figureOf = (info: string, name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);

/** Measures a fleet repeatedly, with one connection to each server. */
export class Sampler {
  private constructor(
    private readonly fleet: Fleet,
    private readonly database: pg.Client,
    private readonly redis: Readonly<Record<'requests' | 'jobs', Redis>>,
  ) {}

  static async of(fleet: Fleet): Promise<Sampler> {
    const { postgres, requests, jobs } = fleet.servers;
    const database = new pg.Client({ connectionString: postgres.url });
    await database.connect();
    return new Sampler(fleet, database, { requests: new Redis(requests.url), jobs: new Redis(jobs.url) });
  }

  /** @throws Error if a process or server has exited */
  async take(): Promise<Measurement> {
    const { processes, servers } = this.fleet;
    const family = await childrenByParent();
    const [sampled, sizes, connections, databaseBytes, requests, jobs] = await Promise.all([
      Promise.all(processes.map(async ({ name, pid }) => [name, await sampleProcess(pid!, family)] as const)),
      Promise.all(Object.values(servers).map(async ({ name, pid }) => [name, await rssOf([pid])] as const)),
      this.connections(),
      this.databaseBytes(),
      this.redisOf('requests'),
      this.redisOf('jobs'),
    ]);
    return {
      processes: Object.fromEntries(sampled),
      servers: Object.fromEntries(sizes),
      connections,
      databaseBytes,
      redis: { requests, jobs },
    };
  }

  async close(): Promise<void> {
    for (const redis of Object.values(this.redis)) redis.disconnect();
    await this.database.end();
  }

  private async connections(): Promise<Record<string, number>> {
    const { rows } = await this.database.query<{ role: string; count: number }>(connectionsByRole);
    return Object.fromEntries(rows.map(({ role, count }) => [role, count]));
  }

  private async databaseBytes(): Promise<number> {
    const { rows } = await this.database.query<{ size: number }>(
      'select pg_database_size(current_database())::float8 as size',
    );
    return rows[0]!.size;
  }

  private async redisOf(name: 'requests' | 'jobs'): Promise<RedisSample> {
    const info = await this.redis[name].info();
    return { clients: figureOf(info, 'connected_clients'), memory: figureOf(info, 'used_memory') };
  }
}
