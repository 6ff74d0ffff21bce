import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { type EventEnvelope } from '#contracts';
import { eventually, TcpProxy, testRedisUrl } from '#testing';
import { BroadcastListener, publishBroadcast } from '../index.js';

const redisUrl = testRedisUrl();
let closing: (() => unknown)[] = [];

afterEach(() => {
  for (const close of closing.reverse()) close();
  closing = [];
});

const revoked = (tokenHash: string): EventEnvelope<'token.revoked'> => ({
  id: randomUUID(),
  name: 'token.revoked',
  version: 1,
  occurredAt: new Date().toISOString(),
  payload: { tokenHash },
  metadata: {},
});

function connect(url: string): Redis {
  const redis = new Redis(url);
  closing.push(() => redis.disconnect());
  return redis;
}

async function listen(url: string, registry = new Registry()) {
  const listener = new BroadcastListener({ redisUrl: url, registry });
  const heard: string[] = [];
  listener.on('token.revoked', (event) => void heard.push(event.payload.tokenHash));
  closing.push(() => listener.close());
  // The start waits two seconds for Redis
  const listens = new Promise<void>((resolve) => listener.onGap(resolve));
  await Promise.all([listener.start(), listens]);
  return { listener, heard };
}

describe('broadcasts', () => {
  it('reach every process that listens', async () => {
    const listeners = [await listen(redisUrl), await listen(redisUrl)];
    expect(await publishBroadcast(connect(redisUrl), revoked('a'))).toBe(2);
    for (const { heard } of listeners) await eventually('it is heard', () => heard.includes('a'));
  });

  it('do not reach a stack on another logical database of the same server', async () => {
    const other = await listen(testRedisUrl());
    expect(await publishBroadcast(connect(redisUrl), revoked('b'))).toBe(0);
    expect(other.heard).toEqual([]);
  });

  it('that cannot be read are counted and dropped', async () => {
    const registry = new Registry();
    const { heard } = await listen(redisUrl, registry);
    const redis = connect(redisUrl);
    const wrong = { ...revoked('c'), payload: { tokenHash: 5 } } as unknown as EventEnvelope<'token.revoked'>;
    await redis.publish(`rq:broadcasts:${redis.options.db ?? 0}`, 'garbage');
    await publishBroadcast(redis, wrong);
    await publishBroadcast(redis, { ...revoked('c'), version: 99 });
    await publishBroadcast(redis, revoked('d'));
    await eventually('the good one is heard', () => heard.length > 0);
    expect(heard).toEqual(['d']);
    const { values } = await registry.getSingleMetric('rq_broadcasts_total')!.get();
    expect(values.find(({ labels }) => labels['outcome'] === 'malformed')?.value).toBe(3);
  });

  it('are heard again after a gap, and the listener is told that there was one', async () => {
    const proxy = await TcpProxy.before(redisUrl);
    closing.push(() => proxy.close());
    const { listener, heard } = await listen(proxy.url);
    let gaps = 0;
    listener.onGap(() => gaps++);
    proxy.cut();
    await eventually('the gap is told', () => gaps > 0);
    await publishBroadcast(connect(redisUrl), revoked('e'));
    await eventually('it is heard', () => heard.includes('e'));
  });

  it('are heard again after a half-open connection', async () => {
    const proxy = await TcpProxy.before(redisUrl);
    closing.push(() => proxy.close());
    const { listener, heard } = await listen(proxy.url);
    let gaps = 0;
    listener.onGap(() => gaps++);
    proxy.blackhole();
    await eventually('the gap is told', () => gaps > 0);
    await publishBroadcast(connect(redisUrl), revoked('f'));
    await eventually('it is heard', () => heard.includes('f'));
  });
});
