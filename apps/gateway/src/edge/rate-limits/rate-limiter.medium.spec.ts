import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { eventually, testRedisUrl } from '#testing';
import type { GatewayEnv } from '../../env.js';
import type { Log } from '#observability';
import { rateLimitMetrics } from './rate-limit-metrics.js';
import { RateLimiter } from './rate-limiter.js';
import { readRateLimits } from './rate-limits.js';

const redisUrl = new URL(testRedisUrl());
const { limits } = readRateLimits('favorites.create=3/900');
const logged: string[] = [];
const log = {
  warn: (_: object, text: string) => void logged.push(`warn ${text}`),
  info: (text: string) => void logged.push(`info ${text}`),
} as unknown as Log;

/** Proxy between limiter and Redis; while it is silent, no replies are forwarded. */
let proxy: Server;
let isSilent = false;
const sockets = new Set<Socket>();
let limiter: RateLimiter;

beforeAll(async () => {
  proxy = createServer((client) => {
    const redis = connect(Number(redisUrl.port), redisUrl.hostname);
    for (const socket of [client, redis]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => [client, redis].map((it) => it.destroy()));
    }
    client.pipe(redis);
    redis.on('data', (bytes) => isSilent || client.write(bytes));
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(redisUrl);
  Object.assign(url, { hostname: '127.0.0.1', port: String((proxy.address() as AddressInfo).port) });
  limiter = new RateLimiter(limits, { REDIS_REQUESTS_URL: url.href } as GatewayEnv, log);
});
afterAll(() => {
  limiter.onApplicationShutdown();
  for (const socket of sockets) socket.destroy();
  proxy.close();
});

const count = () => limiter.count('favorites.create', 1);
const untouched = { limit: 3, periodSeconds: 900, remaining: 3, resetAt: expect.any(Number), isExceeded: false };
const unavailable = 'warn Redis is unavailable: requests are not counted and all are allowed';

async function counted(outcome: string): Promise<number> {
  const { values } = await rateLimitMetrics().requests.get();
  return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
}

describe('a rate limiter', () => {
  it('counts when Redis is available', async () => {
    await eventually('a count', async () => (await count())?.remaining === 2);
    logged.length = 0;
  });

  it('allows all requests, with one warning and few timeouts, if Redis does not respond', async () => {
    isSilent = true;
    const before = await counted('uncounted');
    const startedAt = performance.now();
    expect(await count()).toEqual(untouched);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    // The connection is closed and reconnecting; a timeout for each request would take 25 s
    const secondStartedAt = performance.now();
    for (let time = 0; time < 10; time++) expect(await count()).toEqual(untouched);
    expect(await limiter.peek('favorites.create', 1)).toEqual(untouched);
    expect(performance.now() - secondStartedAt).toBeLessThan(12_000);
    expect(logged).toEqual([unavailable]);
    expect((await counted('uncounted')) - before).toBe(11);
  });

  it('continues counting when Redis is available again', async () => {
    isSilent = false;
    for (const socket of sockets) socket.destroy();
    await eventually('counting again', async () => (await limiter.peek('favorites.create', 1))?.remaining !== 3);
    expect(logged).toEqual([unavailable, 'info Redis is available again, requests are counted']);
    const states = [];
    for (let time = 0; time < 4; time++) states.push(await count());
    expect(states.at(-1)).toMatchObject({ remaining: 0, isExceeded: true });
  });

  it('warns again at the next outage', async () => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
    expect(await count()).toEqual(untouched);
    expect(logged.filter((it) => it === unavailable)).toHaveLength(2);
  });

  it('returns undefined for operations without a limit', async () => {
    expect(await limiter.count('materials.list', 1)).toBeUndefined();
    expect(await limiter.peek('materials.list', 1)).toBeUndefined();
  });
});
