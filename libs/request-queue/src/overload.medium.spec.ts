import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { deferred } from '#concurrency';
import { DomainError } from '#kernel';
import { eventually, testRedisUrl } from '#testing';
import { decodeReply, encodeRequest } from './wire/frames.js';
import { openQueueClients, type QueueClients } from './index.js';
import { Journal } from './testing/journal.js';
import { startReplicaHere, type ReplicaOptions } from './testing/replica.js';

const queue = 'rq:{activity}:q';
let closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

/** A replica, clients and a connection of their own, on an empty Redis. */
async function stage(options: Omit<ReplicaOptions, 'redisUrl' | 'journal'>) {
  const redisUrl = testRedisUrl();
  const journal = new Journal();
  const redis = new Redis(redisUrl);
  const replica = await startReplicaHere({ ...options, redisUrl, journal: journal.path });
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

interface Asked {
  readonly outcome: 'ok' | number | 'aborted';
  readonly milliseconds: number;
}

function write(
  clients: QueueClients,
  number: number,
  options: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<Asked> {
  const startedAt = performance.now();
  const asked = (outcome: Asked['outcome']): Asked => ({ outcome, milliseconds: performance.now() - startedAt });
  return clients
    .of('activity')
    .call('activities.list', { viewerId: number, limit: 1, language: 'en' }, options)
    .then(
      () => asked('ok'),
      (error: unknown) => asked(error instanceof DomainError ? error.status : 'aborted'),
    );
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const countOf = (asked: readonly Asked[], outcome: Asked['outcome']): number =>
  asked.filter((one) => one.outcome === outcome).length;

describe('a full queue', () => {
  it('refuses at once what finds no room, and executes nothing of it', async () => {
    const { clients, journal } = await stage({ slots: 4, workMs: 100, queueLimit: 100 });
    const asked = await Promise.all(numbers(1_000).map((number) => write(clients, number, { timeoutMs: 50_000 })));
    const refused = asked.filter(({ outcome }) => outcome === 503);
    expect(refused.length).toBeGreaterThanOrEqual(700);
    // What has found room would be refused after half of its time
    expect(Math.max(...refused.map(({ milliseconds }) => milliseconds))).toBeLessThan(10_000);
    expect(countOf(asked, 'ok')).toBeGreaterThan(20);
    expect(journal.repeated()).toEqual([]);
    const executed = new Set(journal.numbers());
    for (const [number, { outcome }] of asked.entries()) {
      if (outcome === 503) expect(executed).not.toContain(number);
      if (outcome === 'ok') expect(executed).toContain(number);
    }
  });
});

describe('what has waited for half of its time', () => {
  it('is refused and not executed, so that its caller knows and the next ones are answered in time', async () => {
    const { journal, redis } = await stage({});
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

describe('a caller that gives up', () => {
  it('at its deadline leaves nothing in the queue, and what waited is not executed', async () => {
    const { clients, journal, redis } = await stage({ slots: 1, workMs: 50, queueLimit: 100 });
    const asked = await Promise.all(numbers(40).map((number) => write(clients, number, { timeoutMs: 400 })));
    expect(countOf(asked, 'ok') + countOf(asked, 503) + countOf(asked, 504)).toBe(40);
    await eventually('the queue is empty', async () => (await redis.llen(queue)) === 0);
    await sleep(200);
    // 400 ms have room for 8; an answer that a busy machine brings too late was executed as well
    expect(journal.numbers().length).toBeLessThan(15);
  });

  it('by its signal takes its requests out of the queue', async () => {
    const { clients, journal, redis } = await stage({ slots: 1, workMs: 50, queueLimit: 100 });
    const giveUp = new AbortController();
    const asked = numbers(20).map((number) => write(clients, number, { signal: giveUp.signal }));
    await sleep(120);
    giveUp.abort();
    expect(countOf(await Promise.all(asked), 'aborted')).toBeGreaterThan(10);
    await eventually('the queue is empty', async () => (await redis.llen(queue)) === 0);
    await sleep(200);
    expect(journal.numbers().length).toBeLessThan(10);
  });

  it('before the request has left sends nothing', async () => {
    const { clients, journal, redis } = await stage({});
    const giveUp = new AbortController();
    const asked = write(clients, 1, { signal: giveUp.signal });
    giveUp.abort();
    expect((await asked).outcome).toBe('aborted');
    await sleep(50);
    expect([await redis.llen(queue), journal.numbers()]).toEqual([0, []]);
  });
});

describe('closing a server', () => {
  it('answers what runs and leaves the rest for other replicas', async () => {
    const work = deferred<true>();
    const { clients, replica, journal, redis } = await stage({ slots: 2, batch: 2, until: work.promise });
    const asked = numbers(6).map((number) => write(clients, number, { timeoutMs: 50_000 }));
    await eventually('two requests are taken', async () => (await redis.llen(queue)) === 4);
    const closed = replica.app.close();
    await eventually('it closes', () => !replica.server.alive);
    work.resolve(true);
    await closed;
    expect(journal.numbers()).toHaveLength(2);
    expect(await redis.llen(queue)).toBe(4);
    expect((await Promise.race(asked)).outcome).toBe('ok');
  });
});
