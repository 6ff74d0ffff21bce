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
import { holdTimeouts } from './testing/held-timeouts.js';
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
  jest.useRealTimers();
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
  clients = await openQueueClients({ app: 'gateway', redisUrl, services: ['activity'], registry: new Registry() });
  return { started, start };
}

type Status = number | 'given up';

/** Waits longer than a machine that is busy stands still: what is too late is not what is tested here. */
const write = (number: number, options: CallOptions = {}): Promise<Status> =>
  clients
    .of('activity')
    .call('activities.list', { viewerId: number, limit: 1, language: 'en' }, { timeoutMs: 40_000, ...options })
    .then(
      () => 200,
      (error: unknown) => (error instanceof DomainError ? error.status : 'given up'),
    );

/** Callers that write one after the other, until told to stop; the status of each write by its number. */
function load(callers: number, signal?: AbortSignal) {
  const statuses = new Map<number, Status>();
  let running = true;
  let next = 0;
  const caller = async (): Promise<void> => {
    while (running) {
      const number = next++;
      statuses.set(number, await write(number, signal && { signal }));
    }
  };
  const all = Promise.all(Array.from({ length: callers }, caller));
  return {
    open: (): number => next - statuses.size,
    async stop(): Promise<Map<number, Status>> {
      running = false;
      await all;
      return statuses;
    },
  };
}

const numbersWith = (statuses: ReadonlyMap<number, Status>, status: Status): number[] =>
  [...statuses].filter(([, its]) => its === status).map(([number]) => number);

describe('two replicas', () => {
  it('share 1,000 requests, and none runs twice', async () => {
    const { started } = await stage(2, { slots: 16, workMs: 2, queueLimit: 2_000 });
    let asked = 0;
    const smallerShare = async (): Promise<number> => {
      const statuses = await Promise.all(Array.from({ length: 1_000 }, () => write(asked++)));
      expect(new Set(statuses)).toEqual(new Set([200]));
      const pids = journal.writes().slice(-statuses.length);
      return Math.min(...started.map(({ child }) => pids.filter(({ pid }) => pid === child.pid).length));
    };
    // One of them may stand still for as long as it takes the other to do all
    await eventually('a fair share', async () => (await smallerShare()) > 200);
    expect(journal.repeated()).toEqual([]);
    expect(journal.numbers()).toHaveLength(asked);
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
    expect(statuses.size).toBeGreaterThan(100);
    expect(journal.repeated()).toEqual([]);
    expect(journal.numbers()).toHaveLength(statuses.size);
  });

  it('of which one is killed lose at most what it was doing, and nothing that was acknowledged', async () => {
    const slots = 16;
    const { started } = await stage(2, { slots, workMs: 15 });
    const giveUp = new AbortController();
    const running = load(64, giveUp.signal);
    await sleep(500);
    await started[0]!.end('SIGKILL');
    await sleep(700);
    const stopped = running.stop();
    // What it was doing, and what it had done without having sent the replies of that turn
    await eventually('answers to all but those', () => running.open() <= 2 * slots);
    giveUp.abort();
    const statuses = await stopped;
    const unknown = numbersWith(statuses, 'given up');
    expect(unknown.length).toBeLessThanOrEqual(2 * slots);
    expect(numbersWith(statuses, 200).length + unknown.length).toBe(statuses.size);
    const executed = new Set(journal.numbers());
    expect(numbersWith(statuses, 200).filter((number) => !executed.has(number))).toEqual([]);
    expect(journal.repeated()).toEqual([]);
  });

  it('of which one is killed answer every question, thanks to the second try', async () => {
    const { started } = await stage(2, { slots: 4, workMs: 15, queueLimit: 500 });
    const ask = () => clients.of('activity').call('activities.unreads', { viewerId: 1 }, { timeoutMs: 20_000 });
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
    // The second try of a question would be given to the next one
    holdTimeouts();
    const asked = clients
      .of('activity')
      .call('activities.unreads', { viewerId: troubles.fatal }, { signal: giveUp.signal });
    asked.catch(() => undefined);
    const left = () => started.filter(({ child }) => child.exitCode === null);
    await eventually('its end', () => left().length < 2);
    giveUp.abort();
    jest.useRealTimers();
    expect(await clients.of('activity').call('health.check', {})).toEqual({ status: 'ok' });
    expect(left()).toHaveLength(1);
  });
});
