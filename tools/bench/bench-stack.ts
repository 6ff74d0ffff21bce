import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { freePort } from '#dev-stack';
import { programFile } from '../dev-stack/apps/apps.js';
import type { StackAddress } from '../dev-stack/stack.js';
import { serviceDatabaseUrl } from '#migrations';
import { childrenByParent, processTreeOf } from './process-usage.js';

/** A separate stack for a measurement, in a temporary folder. */
export interface BenchStack extends StackAddress {
  /** Environment of a further process of material-rendering. */
  readonly renderingEnvironment: NodeJS.ProcessEnv;
  /** Secret that signs image URLs. */
  readonly imageSigningSecret: string;
  /** Queue of the events that material-rendering consumes. */
  readonly jobs: Queue;
  /** Queues of the events that activity and webhooks consume. */
  readonly consumers: readonly Queue[];
  /** Returns the ids of all processes: supervisor, apps, both Redis and PostgreSQL. */
  processes(): Promise<number[]>;
  stop(): Promise<void>;
}

/**
 * Starts the stack of `npm start`, without rate limits for materials, favorites and previews.
 *
 * @param environment environment variables of all apps, such as `RENDERING_ROLES`
 * @param output file descriptor for the output of the apps
 */
export async function startBenchStack(
  environment: NodeJS.ProcessEnv = {},
  output: number | 'ignore' = 'ignore',
): Promise<BenchStack> {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-bench-'));
  const rolesSecret = randomBytes(32).toString('hex');
  const inherited = { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...environment };
  const end = await startIn(folder, { ...inherited, DATABASE_ROLES_SECRET: rolesSecret }, output);
  const readJson = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const address = readJson('stack.json') as StackAddress;
  const { jobsUrl, redisUrls, databaseUrl, blobStoreUrl } = address;
  const jobs = openEventQueue('material-rendering', jobsUrl);
  const consumers = ['activity', 'webhooks'].map((service) => openEventQueue(service, jobsUrl));
  return {
    ...address,
    imageSigningSecret: (readJson('secrets.json') as { imageSigning: string }).imageSigning,
    renderingEnvironment: {
      ...inherited,
      DATABASE_URL: serviceDatabaseUrl(databaseUrl, 'material-rendering', rolesSecret),
      REDIS_REQUESTS_URL: redisUrls.requests['material-rendering'],
      REDIS_JOBS_URL: redisUrls.jobs['material-rendering'],
      BLOB_STORE_URL: blobStoreUrl,
    },
    jobs,
    consumers,
    processes: () => processesOf(address.pid, folder),
    stop: async () => {
      await Promise.all([jobs, ...consumers].map((queue) => queue.close()));
      await end();
    },
  };
}

const openEventQueue = (service: string, url: string): Queue =>
  new Queue(`events-${service}`, { connection: { url }, prefix: 'storefront' });

/** Starts the stack in a folder. Returns a function that stops it and deletes the folder. */
async function startIn(
  folder: string,
  environment: NodeJS.ProcessEnv,
  output: number | 'ignore',
): Promise<() => Promise<void>> {
  const child = fork(programFile('stack'), ['--temporary', '--no-demo'], {
    // A separate session: Ctrl-C ends this process, and the closed IPC channel stops the stack
    detached: true,
    stdio: ['ignore', output, 'inherit', 'ipc'],
    env: {
      RATE_LIMITS: 'materials.create=1000000/60,favorites.create=1000000/60,previews.create=1000000/60',
      ...environment,
      PORT: String(await freePort()),
      DATA_DIR: folder,
    },
  });
  const ended = once(child, 'exit');
  const [message] = (await Promise.race([once(child, 'message'), ended])) as unknown[];
  if (typeof message !== 'object') throw new Error('the stack did not start');
  return async () => {
    child.disconnect();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
}

/** Returns the processes of a stack. PostgreSQL is not a descendant of the supervisor. */
async function processesOf(supervisor: number, folder: string): Promise<number[]> {
  const children = await childrenByParent();
  const pidFile = readFileSync(join(folder, 'postgres', 'data', 'postmaster.pid'), 'utf8');
  const postmaster = Number(pidFile.split('\n')[0]);
  return [...(await processTreeOf(supervisor, children)), ...(await processTreeOf(postmaster, children))];
}

/** Returns the number of jobs that are waiting, active, delayed or prioritized. */
export async function countUnfinishedJobs(jobs: Queue): Promise<number> {
  const counts = await jobs.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
