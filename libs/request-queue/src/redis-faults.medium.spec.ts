import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { type DomainError } from '#kernel';
import { startRedis } from '#dev-stack';
import { eventually, testRedisUrl } from '#testing';
import { QueueConnection } from './connection.js';
import { openQueueClients, type QueueClients } from './index.js';
import { Journal } from './testing/journal.js';
import { startReplicaHere } from './testing/replica.js';
import { TcpProxy } from './testing/tcp-proxy.js';

let closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

async function stage(serverUrl: string, clientUrl = serverUrl) {
  const journal = new Journal();
  const replica = await startReplicaHere({ redisUrl: serverUrl, slots: 16, workMs: 5, journal: journal.path });
  const clients = await openQueueClients({ redisUrl: clientUrl, services: ['activity'], registry: new Registry() });
  closing.push(
    () => replica.app.close(),
    () => clients.close(),
  );
  return { clients, journal, replica };
}

interface Asked {
  readonly status: number;
  readonly milliseconds: number;
}

async function write(clients: QueueClients, number: number): Promise<Asked> {
  const startedAt = performance.now();
  const status = await clients.activity
    .call('activities.list', { viewerId: number, limit: 1, language: 'en' }, { timeoutMs: 1_500 })
    .then(
      () => 200,
      (error: unknown) => (error as DomainError).status,
    );
  return { status, milliseconds: performance.now() - startedAt };
}

/** Callers that write, one each 10 ms at most, until told to stop. */
function load(clients: QueueClients, callers: number) {
  const asked = new Map<number, Asked>();
  let running = true;
  let next = 0;
  const caller = async (): Promise<void> => {
    while (running) {
      const number = next++;
      asked.set(number, await write(clients, number));
      await sleep(10);
    }
  };
  const all = Promise.all(Array.from({ length: callers }, caller));
  closing.push(() => (running = false));
  return {
    async stop(): Promise<Map<number, Asked>> {
      running = false;
      await all;
      return asked;
    },
  };
}

function expectNothingLostOrTwice(asked: ReadonlyMap<number, Asked>, journal: Journal): void {
  const executed = new Set(journal.numbers());
  const acknowledged = [...asked].filter(([, { status }]) => status === 200).map(([number]) => number);
  expect(acknowledged.filter((number) => !executed.has(number))).toEqual([]);
  expect(journal.repeated()).toEqual([]);
}

let probes = 0;
const works = async (clients: QueueClients): Promise<boolean> => (await write(clients, --probes)).status === 200;

describe('Redis killed and started again', () => {
  it('means 503 at once while it is away, and service as soon as it is back', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'redis-'));
    const first = await startRedis({ dataDir });
    const { clients, journal } = await stage(first.url);
    const running = load(clients, 10);
    await sleep(300);
    await first.stop('SIGKILL');
    await sleep(500);
    const whileAway = await Promise.all([write(clients, 100_001), write(clients, 100_002)]);
    const second = await startRedis({ dataDir, port: first.port });
    closing.unshift(async () => {
      await second.stop();
      rmSync(dataDir, { recursive: true });
    });
    const backAt = performance.now();
    await eventually('writes work again', () => works(clients), 5_000);
    expect(performance.now() - backAt).toBeLessThan(3_000);
    const asked = await running.stop();
    for (const { status, milliseconds } of whileAway) {
      expect(status).toBe(503);
      expect(milliseconds).toBeLessThan(100);
    }
    expect([...asked.values()].filter(({ status }) => ![200, 503, 504].includes(status))).toEqual([]);
    expectNothingLostOrTwice(asked, journal);
  });
});

describe('a network that cuts connections', () => {
  it('costs 504 at worst: nothing acknowledged is lost and nothing runs twice', async () => {
    const proxy = await TcpProxy.before(testRedisUrl());
    closing.push(() => proxy.close());
    const { clients, journal } = await stage(proxy.url);
    const running = load(clients, 10);
    for (let cut = 0; cut < 10; cut++) {
      await sleep(150);
      proxy.cut();
    }
    await eventually('writes work again', () => works(clients), 5_000);
    expectNothingLostOrTwice(await running.stop(), journal);
  });
});

describe('a half-open connection', () => {
  it.each(['client', 'server'])('of the %s is noticed and made again', async (side) => {
    const redisUrl = testRedisUrl();
    const proxy = await TcpProxy.before(redisUrl);
    closing.push(() => proxy.close());
    const { clients } = side === 'client' ? await stage(redisUrl, proxy.url) : await stage(proxy.url, redisUrl);
    expect(await works(clients)).toBe(true);
    proxy.swallow();
    const startedAt = performance.now();
    await eventually('writes work again', () => works(clients), 12_000);
    expect(performance.now() - startedAt).toBeLessThan(9_000);
  });
});

describe('a connection', () => {
  it('settles a command that was in flight when the link dropped', async () => {
    const proxy = await TcpProxy.before(testRedisUrl());
    const connection = new QueueConnection({ redisUrl: proxy.url, name: 'test' });
    closing.push(
      () => proxy.close(),
      () => connection.close(),
    );
    await connection.whenReady(3_000);
    const asked = connection.run((redis) => redis.blpop('nothing', 10), 12_000).catch((error: unknown) => error);
    await sleep(50);
    proxy.cut();
    expect(String(await asked)).toContain('ConnectionLost');
  });

  it('does not send a push again whose answer was lost', async () => {
    const redisUrl = testRedisUrl();
    const proxy = await TcpProxy.before(redisUrl);
    const connection = new QueueConnection({ redisUrl: proxy.url, name: 'test' });
    closing.push(
      () => proxy.close(),
      () => connection.close(),
    );
    await connection.whenReady(3_000);
    proxy.swallowAnswers();
    const pushed = connection.run((redis) => redis.rpush('pushed', 'once')).catch((error: unknown) => error);
    await sleep(50);
    proxy.cut();
    expect(String(await pushed)).toContain('ConnectionLost');
    await connection.whenReady(3_000);
    await sleep(100);
    expect(await connection.run((redis) => redis.llen('pushed'))).toBe(1);
  });

  it('is not cut again after it was made again', async () => {
    const proxy = await TcpProxy.before(testRedisUrl());
    let reconnections = 0;
    const connection = new QueueConnection({ redisUrl: proxy.url, name: 'test', onReconnect: () => reconnections++ });
    closing.push(
      () => proxy.close(),
      () => connection.close(),
    );
    await connection.whenReady(3_000);
    const block = () => connection.run((redis) => redis.blpop('nothing', 1), 1_500).catch(() => undefined);
    const first = block();
    await sleep(50);
    proxy.cut();
    await first;
    await connection.whenReady(3_000);
    for (let round = 0; round < 3; round++) await block();
    await connection.whenReady(3_000);
    expect(reconnections).toBe(1);
  });

  it('does not lose the answer while the event loop is stalled', async () => {
    const redisUrl = testRedisUrl();
    const connection = new QueueConnection({ redisUrl, name: 'test' });
    closing.push(() => connection.close());
    await connection.whenReady(3_000);
    const asked = connection.run((redis) => redis.ping(), 100);
    await new Promise(setImmediate);
    for (const until = performance.now() + 300; performance.now() < until;);
    expect(await asked).toBe('PONG');
  });
});
