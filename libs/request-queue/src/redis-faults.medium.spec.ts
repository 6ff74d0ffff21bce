import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { type DomainError } from '#kernel';
import { startRedis } from '#dev-stack';
import { eventually, TcpProxy, testRedisUrl } from '#testing';
import { QueueConnection } from './connection/connection.js';
import { openQueueClients, type QueueClients } from './index.js';
import { QueueKeys } from './wire/keys.js';
import { ReplyWriter } from './server/reply-writer.js';
import { Journal } from './testing/journal.js';
import { startReplicaHere } from './testing/replica.js';

let closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

async function stage(serverUrl: string, clientUrl = serverUrl) {
  const journal = new Journal();
  const replica = await startReplicaHere({ redisUrl: serverUrl, slots: 16, workMs: 5, journal: journal.path });
  const clients = await openQueueClients({
    app: 'gateway',
    redisUrl: clientUrl,
    services: ['activity'],
    registry: new Registry(),
  });
  closing.push(
    () => journal.remove(),
    () => replica.app.close(),
    () => clients.close(),
  );
  return { clients, journal, replica };
}

interface Asked {
  readonly status: number;
  readonly milliseconds: number;
}

async function write(clients: QueueClients, number: number, timeoutMs = 1_500): Promise<Asked> {
  const startedAt = performance.now();
  const status = await clients
    .of('activity')
    .call('activities.list', { viewerId: number, limit: 1, language: 'en' }, { timeoutMs })
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
    let redis = await startRedis({ dataDir });
    const { port } = redis;
    const { clients, journal } = await stage(redis.url);
    closing.unshift(async () => {
      await redis.stop();
      rmSync(dataDir, { recursive: true });
    });
    const running = load(clients, 10);
    const backMs: number[] = [];
    const whileAway: Asked[] = [];
    // Further chances for a machine that is busy
    do {
      await sleep(300);
      await redis.stop('SIGKILL');
      await eventually('its end is known', async () => (await write(clients, --probes)).status === 503);
      const [one, other] = [200_000, 300_000].map((number) => write(clients, number + backMs.length, 50_000));
      whileAway.push(await one!, await other!);
      redis = await startRedis({ dataDir, port });
      const backAt = performance.now();
      await eventually('writes work again', () => works(clients));
      backMs.push(performance.now() - backAt);
    } while (backMs.at(-1)! >= 3_000 && backMs.length < 5);
    expect(Math.min(...backMs)).toBeLessThan(3_000);
    const asked = await running.stop();
    for (const { status, milliseconds } of whileAway) {
      expect(status).toBe(503);
      expect(milliseconds).toBeLessThan(20_000);
    }
    expect([...asked.values()].filter(({ status }) => ![200, 503, 504].includes(status))).toEqual([]);
    expectNothingLostOrTwice(asked, journal);
  });

  it('is told from a cut connection: what waited in it has an unknown end soon, and not at its deadline', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'redis-'));
    const first = await startRedis({ dataDir });
    const clients = await openQueueClients({
      app: 'gateway',
      redisUrl: first.url,
      services: ['activity'],
      registry: new Registry(),
    });
    const keys = new QueueKeys();
    const looking = new QueueConnection({ redisUrl: first.url, name: 'test' });
    closing.push(
      () => clients.close(),
      () => looking.close(),
    );
    await looking.whenReady(30_000);
    // As if a replica were up, which takes nothing
    await looking.run((redis) => redis.set(keys.live('activity'), 10));
    const asked = clients
      .of('activity')
      .call('activities.list', { viewerId: 1, limit: 1, language: 'en' }, { timeoutMs: 60_000 });
    const refused = expect(asked).rejects.toMatchObject({ status: 504, kind: { code: 'service.no-answer' } });
    await eventually('it waits', () =>
      looking.run(async (redis) => (await redis.llen(keys.requests('activity'))) === 1),
    );
    await first.stop('SIGKILL');
    const second = await startRedis({ dataDir, port: first.port });
    closing.unshift(async () => {
      await second.stop();
      rmSync(dataDir, { recursive: true });
    });
    const backAt = performance.now();
    await refused;
    expect(performance.now() - backAt).toBeLessThan(30_000);
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
    await eventually('writes work again', () => works(clients));
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
    proxy.blackhole();
    const startedAt = performance.now();
    await eventually('writes work again', () => works(clients));
    // By itself TCP would notice in a quarter of an hour
    expect(performance.now() - startedAt).toBeLessThan(25_000);
  });
});

describe('a request that was perhaps lost with its connection', () => {
  const stageLost = async () => {
    const redisUrl = testRedisUrl();
    const proxy = await TcpProxy.before(redisUrl);
    closing.push(() => proxy.close());
    const { clients, journal } = await stage(redisUrl, proxy.url);
    expect(await works(clients)).toBe(true);
    const before = journal.numbers();
    proxy.blackhole();
    return { clients, journal, before };
  };

  it('is asked again when it is a question', async () => {
    const { clients } = await stageLost();
    const asked = clients.of('activity').call('activities.unreads', { viewerId: 1 }, { timeoutMs: 60_000 });
    await expect(asked).resolves.toMatchObject({ unreads: expect.any(Number) });
  });

  it('has an unknown end soon when it changes something, and is not sent again', async () => {
    const { clients, journal, before } = await stageLost();
    const asked = clients
      .of('activity')
      .call('activities.list', { viewerId: 1, limit: 1, language: 'en' }, { timeoutMs: 60_000 });
    const since = performance.now();
    await expect(asked).rejects.toMatchObject({ status: 504 });
    expect(performance.now() - since).toBeLessThan(30_000);
    expect(journal.numbers()).toEqual(before);
  });
});

describe('a reply', () => {
  const stageReplies = async () => {
    const redisUrl = testRedisUrl();
    const proxy = await TcpProxy.before(redisUrl);
    const [writing, reading] = [proxy.url, redisUrl].map((url) => new QueueConnection({ redisUrl: url, name: 'test' }));
    closing.push(
      () => proxy.close(),
      () => writing!.close(),
      () => reading!.close(),
    );
    await Promise.all([writing!.whenReady(30_000), reading!.whenReady(30_000)]);
    const lost: number[] = [];
    const replies = new ReplyWriter(writing!, (count) => lost.push(count));
    const arrived = () => reading!.run((redis) => redis.lrange('replies', 0, -1));
    return { proxy, replies, arrived, lost };
  };

  it('that was lost with its connection is sent again on the next one', async () => {
    const { proxy, replies, arrived, lost } = await stageReplies();
    proxy.blackhole();
    replies.add('replies', Buffer.from('one'));
    await replies.flushed();
    expect([await arrived(), lost]).toEqual([['one'], []]);
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
    await connection.whenReady(30_000);
    const asked = connection.run((redis) => redis.blpop('nothing', 10), 12_000).catch((error: unknown) => error);
    await sleep(50);
    proxy.cut();
    expect(String(await asked)).toContain('ConnectionLost');
  });

  it('does not send a push again whose answer was lost', async () => {
    const redisUrl = testRedisUrl();
    const proxy = await TcpProxy.before(redisUrl);
    const [connection, looking] = [proxy.url, redisUrl].map(
      (url) => new QueueConnection({ redisUrl: url, name: 'test' }),
    );
    closing.push(
      () => proxy.close(),
      () => connection!.close(),
      () => looking!.close(),
    );
    await Promise.all([connection!.whenReady(30_000), looking!.whenReady(30_000)]);
    proxy.dropResponses();
    const pushed = connection!.run((redis) => redis.rpush('pushed', 'once')).catch((error: unknown) => error);
    await eventually('it has come', () => looking!.run(async (redis) => (await redis.llen('pushed')) === 1));
    proxy.cut();
    expect(String(await pushed)).toContain('ConnectionLost');
    await connection!.whenReady(30_000);
    await sleep(100);
    expect(await connection!.run((redis) => redis.llen('pushed'))).toBe(1);
  });

  it('is not cut again after it was made again', async () => {
    const proxy = await TcpProxy.before(testRedisUrl());
    let reconnections = 0;
    const connection = new QueueConnection({ redisUrl: proxy.url, name: 'test', onReconnect: () => reconnections++ });
    closing.push(
      () => proxy.close(),
      () => connection.close(),
    );
    await connection.whenReady(30_000);
    const block = (limitMs: number) =>
      connection.run((redis) => redis.blpop('nothing', 1), limitMs).catch(() => undefined);
    // Its limit would be over while the others wait, which have more than a busy machine takes
    const first = block(1_500);
    await sleep(50);
    proxy.cut();
    await first;
    await connection.whenReady(30_000);
    for (let round = 0; round < 3; round++) await block(20_000);
    await connection.whenReady(30_000);
    expect(reconnections).toBe(1);
  });

  it('is made again when its link dies before Redis has greeted', async () => {
    const proxy = await TcpProxy.before(testRedisUrl());
    proxy.disturb({ delayMs: 300, stalled: 0 });
    const connection = new QueueConnection({ redisUrl: proxy.url, name: 'test' });
    closing.push(
      () => proxy.close(),
      () => connection.close(),
    );
    await once(connection.redis, 'connect');
    // Until the proxy has it too
    await sleep(100);
    proxy.blackhole();
    proxy.disturb({ delayMs: 0, stalled: 0 });
    expect(await connection.whenReady(30_000)).toBe(true);
  });

  it('does not lose the answer while the event loop is stalled', async () => {
    const redisUrl = testRedisUrl();
    const connection = new QueueConnection({ redisUrl, name: 'test' });
    closing.push(() => connection.close());
    await connection.whenReady(30_000);
    let answer: unknown;
    // Redis may stand still just then, but hardly each time
    for (let time = 0; time < 10 && answer !== 'PONG'; time++) {
      expect(await connection.whenReady(30_000)).toBe(true);
      const asked = connection.run((redis) => redis.ping(), 100).catch((error: unknown) => error);
      await new Promise(setImmediate);
      for (const until = performance.now() + 300; performance.now() < until;);
      answer = await asked;
    }
    expect(answer).toBe('PONG');
  });
});
