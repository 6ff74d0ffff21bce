import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Registry } from 'prom-client';
import { projectPath } from '#config';
import { DomainError } from '#kernel';
import { eventually, testRedisUrl } from '#testing';
import { bundle } from '../../../tools/bundle.mjs';
import { openQueueClients, type CallOptions, type QueueClients } from './index.js';
import { forkReplica, type ForkedReplica } from './testing/fork-replica.js';
import { fakeTimeouts } from './testing/fake-timeouts.js';
import { Journal } from './testing/journal.js';
import { specialViewers, type ReplicaOptions } from './testing/replica.js';

const replicas: ForkedReplica[] = [];
let clients: QueueClients;
let journal: Journal;
let folder: string;

// Twelve replicas are started. From one bundled file each takes 0.3 s of CPU time, from a thousand
// files 1.2 s
beforeAll(async () => {
  // Below the project, because the program looks for package.json in its parent folders
  folder = await mkdtemp(projectPath('dist', 'replica-'));
  await bundle({ replica: projectPath('dist/libs/request-queue/src/testing/replica-process.js') }, folder);
});

afterAll(() => rm(folder, { recursive: true }));

afterEach(async () => {
  jest.useRealTimers();
  await clients.close();
  for (const replica of replicas.splice(0)) await replica.end('SIGKILL');
  journal.remove();
});

async function setUp(count: number, options: Omit<ReplicaOptions, 'redisUrl' | 'journal'>) {
  const redisUrl = testRedisUrl();
  journal = new Journal();
  const start = async (): Promise<ForkedReplica> => {
    const replica = await forkReplica(join(folder, 'replica.js'), { ...options, redisUrl, journal: journal.path });
    replicas.push(replica);
    return replica;
  };
  const started = await Promise.all(Array.from({ length: count }, start));
  clients = await openQueueClients({ app: 'gateway', redisUrl, services: ['activity'], registry: new Registry() });
  return { started, start };
}

type Status = number | 'aborted';

/**
 * Sends a write. Its timeout is longer than the pauses of a busy machine, which are not tested
 * here.
 */
const write = (number: number, options: CallOptions = {}): Promise<Status> =>
  clients
    .of('activity')
    .call('activities.list', { viewerId: number, limit: 1, language: 'en' }, { timeoutMs: 40_000, ...options })
    .then(
      () => 200,
      (error: unknown) => (error instanceof DomainError ? error.status : 'aborted'),
    );

/** Starts callers that write sequentially until `stop`, which returns the status of each write. */
function startLoad(callers: number, signal?: AbortSignal) {
  const statuses = new Map<number, Status>();
  let isRunning = true;
  let next = 0;
  const caller = async (): Promise<void> => {
    while (isRunning) {
      const number = next++;
      statuses.set(number, await write(number, signal && { signal }));
    }
  };
  const ended = Promise.all(Array.from({ length: callers }, caller));
  return {
    openCount: (): number => next - statuses.size,
    async stop(): Promise<Map<number, Status>> {
      isRunning = false;
      await ended;
      return statuses;
    },
  };
}

const numbersWith = (statuses: ReadonlyMap<number, Status>, status: Status): number[] =>
  [...statuses].filter(([, found]) => found === status).map(([number]) => number);

describe('two replicas', () => {
  it('share 1,000 requests and execute none twice', async () => {
    const { started } = await setUp(2, { slots: 16, workMs: 2, queueLimit: 2_000 });
    let sent = 0;
    const smallerShare = async (): Promise<number> => {
      const statuses = await Promise.all(Array.from({ length: 1_000 }, () => write(sent++)));
      expect(new Set(statuses)).toEqual(new Set([200]));
      const pids = journal.writes().slice(-statuses.length);
      return Math.min(...started.map(({ child }) => pids.filter(({ pid }) => pid === child.pid).length));
    };
    // One replica may be stopped for as long as the other needs for all requests
    await eventually('both replicas have a fair share', async () => (await smallerShare()) > 200);
    expect(journal.repeated()).toEqual([]);
    expect(journal.numbers()).toHaveLength(sent);
  });

  it('lose no request when they are replaced by SIGTERM under load', async () => {
    const { started, start } = await setUp(2, { slots: 16, workMs: 15 });
    const running = startLoad(32);
    for (const previous of started) {
      await sleep(300);
      await start();
      expect(await previous.end('SIGTERM')).toBe(0);
    }
    await sleep(200);
    const statuses = await running.stop();
    expect(new Set(statuses.values())).toEqual(new Set([200]));
    expect(statuses.size).toBeGreaterThan(100);
    expect(journal.repeated()).toEqual([]);
    expect(journal.numbers()).toHaveLength(statuses.size);
  });

  it('lose at most the running requests of a killed replica, and no acknowledged write', async () => {
    const slots = 16;
    const { started } = await setUp(2, { slots, workMs: 15 });
    const abort = new AbortController();
    const running = startLoad(64, abort.signal);
    await sleep(500);
    await started[0]!.end('SIGKILL');
    await sleep(700);
    const stopped = running.stop();
    // Up to `slots` running requests, and as many executed requests whose replies were not sent yet
    await eventually('replies to all other requests', () => running.openCount() <= 2 * slots);
    abort.abort();
    const statuses = await stopped;
    const unknown = numbersWith(statuses, 'aborted');
    expect(unknown.length).toBeLessThanOrEqual(2 * slots);
    expect(numbersWith(statuses, 200).length + unknown.length).toBe(statuses.size);
    const executed = new Set(journal.numbers());
    expect(numbersWith(statuses, 200).filter((number) => !executed.has(number))).toEqual([]);
    expect(journal.repeated()).toEqual([]);
  });

  it('reply to every safe request after one replica is killed, because of the second attempt', async () => {
    const { started } = await setUp(2, { slots: 4, workMs: 15, queueLimit: 500 });
    const read = () => clients.of('activity').call('activities.unreads', { viewerId: 1 }, { timeoutMs: 20_000 });
    const first = Array.from({ length: 40 }, read);
    await sleep(20);
    await started[0]!.end('SIGKILL');
    const outcomes = await Promise.allSettled([...first, ...Array.from({ length: 100 }, read)]);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
  });
});

describe('a request that kills its replica', () => {
  it('is not executed by the next replica', async () => {
    const { started } = await setUp(2, { slots: 4 });
    const abort = new AbortController();
    // Prevents the second attempt of a safe request, which the next replica would execute
    fakeTimeouts();
    const request = clients
      .of('activity')
      .call('activities.unreads', { viewerId: specialViewers.fatal }, { signal: abort.signal });
    request.catch(() => undefined);
    const running = () => started.filter(({ child }) => child.exitCode === null);
    await eventually('the replica exits', () => running().length < 2);
    abort.abort();
    jest.useRealTimers();
    expect(await clients.of('activity').call('health.check', {})).toEqual({ status: 'ok' });
    expect(running()).toHaveLength(1);
  });
});
