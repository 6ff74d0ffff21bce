import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { projectPath } from '#config';
import { type DomainError } from '#kernel';
import { testRedisUrl } from '#testing';
import { bundle } from '../../../tools/bundle.mjs';
import { openQueueClients, type QueueClients } from './index.js';
import { forkReplica, type ForkedReplica } from './testing/fork-replica.js';
import { Journal } from './testing/journal.js';
import { troubles, type ReplicaOptions } from './testing/replica.js';

const replicas: ForkedReplica[] = [];
let clients: QueueClients;
let journal: Journal;
let folder: string;

// Twelve replicas are started: of one file each takes 0.3 s of a processor, of a thousand 1.2 s
beforeAll(async () => {
  // It looks for package.json above itself
  folder = await mkdtemp(projectPath('dist', 'replica-'));
  await bundle({ replica: projectPath('dist/libs/request-queue/src/testing/replica-process.js') }, folder);
});

afterAll(() => rm(folder, { recursive: true }));

afterEach(async () => {
  await clients.close();
  for (const replica of replicas.splice(0)) await replica.end('SIGKILL');
  journal.remove();
});

async function stage(count: number, options: Omit<ReplicaOptions, 'redisUrl' | 'journal'>) {
  const redisUrl = testRedisUrl();
  journal = new Journal();
  const start = async (): Promise<ForkedReplica> => {
    const replica = await forkReplica(join(folder, 'replica.js'), { ...options, redisUrl, journal: journal.path });
    replicas.push(replica);
    return replica;
  };
  const started = await Promise.all(Array.from({ length: count }, start));
  clients = await openQueueClients({ redisUrl, services: ['activity'], registry: new Registry() });
  return { started, start };
}

const write = (number: number, timeoutMs = 10_000): Promise<number> =>
  clients.activity.call('activities.list', { viewerId: number, limit: 1, language: 'en' }, { timeoutMs }).then(
    () => 200,
    (error: unknown) => (error as DomainError).status,
  );

/** Callers that write one after the other, until told to stop; the status of each write by its number. */
function load(callers: number, timeoutMs?: number) {
  const statuses = new Map<number, number>();
  let running = true;
  let next = 0;
  const caller = async (): Promise<void> => {
    while (running) {
      const number = next++;
      statuses.set(number, await write(number, timeoutMs));
    }
  };
  const all = Promise.all(Array.from({ length: callers }, caller));
  return {
    async stop(): Promise<Map<number, number>> {
      running = false;
      await all;
      return statuses;
    },
  };
}

const numbersWith = (statuses: ReadonlyMap<number, number>, status: number): number[] =>
  [...statuses].filter(([, its]) => its === status).map(([number]) => number);

describe('two replicas', () => {
  it('share 1,000 requests, and none runs twice', async () => {
    await stage(2, { slots: 16, workMs: 2, queueLimit: 2_000 });
    const statuses = await Promise.all(Array.from({ length: 1_000 }, (_, number) => write(number)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(journal.repeated()).toEqual([]);
    expect(journal.numbers()).toHaveLength(1_000);
    const pids = journal.writes().map(({ pid }) => pid);
    const shares = [...new Set(pids)].map((pid) => pids.filter((other) => other === pid).length);
    expect(shares).toHaveLength(2);
    expect(Math.min(...shares)).toBeGreaterThan(200);
  });

  it('replaced by SIGTERM one after the other under load lose nothing', async () => {
    const { started, start } = await stage(2, { slots: 16, workMs: 15 });
    const running = load(32);
    for (const old of started) {
      await sleep(300);
      await start();
      expect(await old.end('SIGTERM')).toBe(0);
    }
    await sleep(200);
    const statuses = await running.stop();
    expect(new Set(statuses.values())).toEqual(new Set([200]));
    expect(statuses.size).toBeGreaterThan(300);
    expect(journal.repeated()).toEqual([]);
    expect(journal.numbers()).toHaveLength(statuses.size);
  });

  it('of which one is killed lose at most what it was doing, and nothing that was acknowledged', async () => {
    const slots = 16;
    const { started } = await stage(2, { slots, workMs: 15 });
    const running = load(64, 2_000);
    await sleep(500);
    await started[0]!.end('SIGKILL');
    await sleep(700);
    const statuses = await running.stop();
    const unknown = numbersWith(statuses, 504);
    // What it was doing, and what it had done without having sent the replies of that turn
    expect(unknown.length).toBeLessThanOrEqual(2 * slots);
    expect(numbersWith(statuses, 200).length + unknown.length).toBe(statuses.size);
    const executed = new Set(journal.numbers());
    expect(numbersWith(statuses, 200).filter((number) => !executed.has(number))).toEqual([]);
    expect(journal.repeated()).toEqual([]);
  });

  it('of which one is killed answer every question, thanks to the second try', async () => {
    const { started } = await stage(2, { slots: 4, workMs: 15, queueLimit: 500 });
    const ask = () => clients.activity.call('activities.unreads', { viewerId: 1 }, { timeoutMs: 3_000 });
    const asked = Array.from({ length: 40 }, ask);
    await sleep(20);
    await started[0]!.end('SIGKILL');
    const answered = await Promise.allSettled([...asked, ...Array.from({ length: 100 }, ask)]);
    expect(answered.filter(({ status }) => status === 'rejected')).toEqual([]);
  });
});

describe('a request that kills its replica', () => {
  it('is not given to the next one', async () => {
    const { started } = await stage(2, { slots: 4 });
    const giveUp = new AbortController();
    const asked = clients.activity.call('activities.unreads', { viewerId: troubles.fatal }, { signal: giveUp.signal });
    asked.catch(() => undefined);
    await sleep(700);
    giveUp.abort();
    const codes = started.map(({ child }) => child.exitCode);
    expect(codes.filter((code) => code === null)).toHaveLength(1);
    expect(await clients.activity.call('health.check', {})).toEqual({ status: 'ok' });
  });
});
