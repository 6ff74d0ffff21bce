import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { deferred } from '#concurrency';
import { DomainError } from '#kernel';
import { eventually, testRedisUrl } from '#testing';
import { decodeReply, encodeRequest } from './wire/frames.js';
import { openQueueClients, type QueueClients } from './index.js';
import { Journal } from './testing/journal.js';
import { startLocalReplica, type ReplicaOptions } from './testing/replica.js';

const queue = 'rq:{activity}:q';
let closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

/** Starts a replica, clients and a connection on an empty Redis. */
async function setUp(options: Omit<ReplicaOptions, 'redisUrl' | 'journal'>) {
  const redisUrl = testRedisUrl();
  const journal = new Journal();
  const redis = new Redis(redisUrl);
  const replica = await startLocalReplica({ ...options, redisUrl, journal: journal.path });
  const clients = await openQueueClients({
    app: 'gateway',
    redisUrl,
    services: ['activity'],
    maxInFlight: 5_000,
    registry: new Registry(),
  });
  closing.push(
    () => journal.remove(),
    () => redis.disconnect(),
    () => replica.app.close(),
    () => clients.close(),
  );
  return { clients, journal, redis, replica };
}

interface Result {
  readonly outcome: 'ok' | number | 'aborted';
  readonly milliseconds: number;
}

function write(
  clients: QueueClients,
  number: number,
  options: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<Result> {
  const startedAt = performance.now();
  const result = (outcome: Result['outcome']): Result => ({ outcome, milliseconds: performance.now() - startedAt });
  return clients
    .of('activity')
    .call('activities.list', { viewerId: number, limit: 1, language: 'en' }, options)
    .then(
      () => result('ok'),
      (error: unknown) => result(error instanceof DomainError ? error.status : 'aborted'),
    );
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const countOf = (results: readonly Result[], outcome: Result['outcome']): number =>
  results.filter((each) => each.outcome === outcome).length;

describe('a full queue', () => {
  it('rejects further requests immediately and executes none of them', async () => {
    const { clients, journal } = await setUp({ slots: 4, workMs: 100, queueLimit: 100 });
    const results = await Promise.all(numbers(1_000).map((number) => write(clients, number, { timeoutMs: 50_000 })));
    const rejected = results.filter(({ outcome }) => outcome === 503);
    expect(rejected.length).toBeGreaterThanOrEqual(700);
    // Queued requests would be rejected after half of their timeout
    expect(Math.max(...rejected.map(({ milliseconds }) => milliseconds))).toBeLessThan(10_000);
    expect(countOf(results, 'ok')).toBeGreaterThan(20);
    expect(journal.repeated()).toEqual([]);
    const executed = new Set(journal.numbers());
    for (const [number, { outcome }] of results.entries()) {
      if (outcome === 503) expect(executed).not.toContain(number);
      if (outcome === 'ok') expect(executed).toContain(number);
    }
  });
});

describe('a request that has waited for half of its timeout', () => {
  it('is rejected unexecuted, so that later requests are served in time', async () => {
    const { journal, redis } = await setUp({});
    const replyKey = 'rq:{gateway-00000000000000fb}:r';
    const ttl = 60_000;
    const statusAfter = async (waitedMs: number): Promise<number> => {
      const payload = Buffer.from(JSON.stringify({ viewerId: waitedMs, limit: 1, language: 'en' }));
      const frame = { flags: 0, correlation: 1, deadline: Date.now() + ttl - waitedMs, ttl, headers: {} };
      await redis.rpush(queue, encodeRequest({ ...frame, replyKey, pattern: 'activities.list', payload }));
      return decodeReply((await redis.blpopBuffer(replyKey, 20))![1])!.status;
    };
    expect(await statusAfter(40_000)).toBe(503);
    expect(await statusAfter(10_000)).toBe(200);
    expect(journal.numbers()).toEqual([10_000]);
  });
});

describe('a caller that stops waiting', () => {
  it('removes its waiting requests from the queue at the deadline', async () => {
    const { clients, journal, redis } = await setUp({ slots: 1, workMs: 50, queueLimit: 100 });
    const results = await Promise.all(numbers(40).map((number) => write(clients, number, { timeoutMs: 400 })));
    expect(countOf(results, 'ok') + countOf(results, 503) + countOf(results, 504)).toBe(40);
    await eventually('the queue is empty', async () => (await redis.llen(queue)) === 0);
    await sleep(200);
    // 8 fit into 400 ms; on a busy machine also requests whose replies are too late are executed
    expect(journal.numbers().length).toBeLessThan(15);
  });

  it('removes its waiting requests from the queue when its signal is aborted', async () => {
    const { clients, journal, redis } = await setUp({ slots: 1, workMs: 50, queueLimit: 100 });
    const abort = new AbortController();
    const writes = numbers(20).map((number) => write(clients, number, { signal: abort.signal }));
    await sleep(120);
    abort.abort();
    expect(countOf(await Promise.all(writes), 'aborted')).toBeGreaterThan(10);
    await eventually('the queue is empty', async () => (await redis.llen(queue)) === 0);
    await sleep(200);
    expect(journal.numbers().length).toBeLessThan(10);
  });

  it('sends nothing when it is aborted before the request is sent', async () => {
    const { clients, journal, redis } = await setUp({});
    const abort = new AbortController();
    const request = write(clients, 1, { signal: abort.signal });
    abort.abort();
    expect((await request).outcome).toBe('aborted');
    await sleep(50);
    expect([await redis.llen(queue), journal.numbers()]).toEqual([0, []]);
  });
});

describe('closing a server', () => {
  it('replies to running requests and does not take waiting requests', async () => {
    const work = deferred<true>();
    const { clients, replica, journal, redis } = await setUp({ slots: 2, batch: 2, until: work.promise });
    const writes = numbers(6).map((number) => write(clients, number, { timeoutMs: 50_000 }));
    await eventually('two requests are taken', async () => (await redis.llen(queue)) === 4);
    const closed = replica.app.close();
    await eventually('the server is closing', () => !replica.server.alive);
    work.resolve(true);
    await closed;
    expect(journal.numbers()).toHaveLength(2);
    expect(await redis.llen(queue)).toBe(4);
    expect((await Promise.race(writes)).outcome).toBe('ok');
  });
});
