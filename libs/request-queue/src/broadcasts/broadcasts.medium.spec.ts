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
  const received: string[] = [];
  listener.on('token.revoked', (event) => void received.push(event.payload.tokenHash));
  closing.push(() => listener.close());
  // `start` waits only two seconds for Redis
  const subscribed = new Promise<void>((resolve) => listener.onGap(resolve));
  await Promise.all([listener.start(), subscribed]);
  return { listener, received };
}

describe('broadcasts', () => {
  it('are received by every subscriber', async () => {
    const listeners = [await listen(redisUrl), await listen(redisUrl)];
    expect(await publishBroadcast(connect(redisUrl), revoked('a'))).toBe(2);
    for (const { received } of listeners) await eventually('the broadcast is received', () => received.includes('a'));
  });

  it('are not received by a stack on another logical database of the server', async () => {
    const other = await listen(testRedisUrl());
    expect(await publishBroadcast(connect(redisUrl), revoked('b'))).toBe(0);
    expect(other.received).toEqual([]);
  });

  it('are counted and dropped when they are malformed', async () => {
    const registry = new Registry();
    const { received } = await listen(redisUrl, registry);
    const redis = connect(redisUrl);
    const wrong = { ...revoked('c'), payload: { tokenHash: 5 } } as unknown as EventEnvelope<'token.revoked'>;
    await redis.publish(`rq:broadcasts:${redis.options.db ?? 0}`, 'garbage');
    await publishBroadcast(redis, wrong);
    await publishBroadcast(redis, { ...revoked('c'), version: 99 });
    await publishBroadcast(redis, revoked('d'));
    await eventually('the valid broadcast is received', () => received.length > 0);
    expect(received).toEqual(['d']);
    const { values } = await registry.getSingleMetric('rq_broadcasts_total')!.get();
    expect(values.find(({ labels }) => labels['outcome'] === 'malformed')?.value).toBe(3);
  });

  it('are received again after a disconnect, which the gap listener reports', async () => {
    const proxy = await TcpProxy.before(redisUrl);
    closing.push(() => proxy.close());
    const { listener, received } = await listen(proxy.url);
    let gaps = 0;
    listener.onGap(() => gaps++);
    proxy.cut();
    await eventually('the gap listener is called', () => gaps > 0);
    await publishBroadcast(connect(redisUrl), revoked('e'));
    await eventually('the broadcast is received', () => received.includes('e'));
  });

  it('are received again after a half-open connection', async () => {
    const proxy = await TcpProxy.before(redisUrl);
    closing.push(() => proxy.close());
    const { listener, received } = await listen(proxy.url);
    let gaps = 0;
    listener.onGap(() => gaps++);
    proxy.blackhole();
    await eventually('the gap listener is called', () => gaps > 0);
    await publishBroadcast(connect(redisUrl), revoked('f'));
    await eventually('the broadcast is received', () => received.includes('f'));
  });
});
