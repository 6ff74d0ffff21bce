import { Redis } from 'ioredis';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { RawReply } from '#request-queue';
import { GatewayStack, send, type SendOptions } from '../../testing/gateway-stack.js';

let stack: GatewayStack;
let redis: Redis;
let first: string;
let second: string;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'favorites.create': ({ productId }: any) => {
      if (productId === 404) throw new DomainError(problems['product.not-found'], 'The product does not exist.');
      if (productId === 500) throw new Error('a defect');
      return RawReply.json('{}', { status: 201 });
    },
    'materials.text': () => RawReply.json('{}'),
    'materials.update': () => {
      throw new DomainError(problems['material.not-owned'], 'The material belongs to another user.');
    },
  });
  redis = new Redis(stack.redisUrl);
  const environment = { RATE_LIMITS: 'favorites.create=3/60' };
  [first, second] = await Promise.all([stack.gateway(environment), stack.gateway(environment)]);
});
afterAll(async () => {
  redis.disconnect();
  await stack.close();
});
beforeEach(async () => {
  const keys = await redis.keys('rate-limit:*');
  if (keys.length > 0) await redis.del(keys);
});

const placeFavorite = (url: string, { token = 'writer', ...sent }: SendOptions = {}, productId: number | string = 1) =>
  send('POST', `${url}/api/v1/products/${productId}/favorites`, { token, body: { count: 1 }, ...sent });

const rateHeaders = ({ headers }: { headers: Headers }) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`) ?? NaN));

const now = () => Math.floor(Date.now() / 1_000);

describe('a limited operation', () => {
  it('returns the remaining requests over all gateways, until none are left', async () => {
    const startedAt = now();
    const responses = [
      await placeFavorite(first),
      await placeFavorite(second),
      await placeFavorite(first),
      await placeFavorite(second),
    ];
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 429]);
    expect(responses.map((it) => rateHeaders(it).slice(0, 2))).toEqual([
      [3, 2],
      [3, 1],
      [3, 0],
      [3, 0],
    ]);
    for (const response of responses) {
      expect(rateHeaders(response)[2]).toBeGreaterThan(now());
      expect(rateHeaders(response)[2]).toBeLessThanOrEqual(now() + 61);
    }
    const rejected = responses[3]!;
    expect(rejected.headers.get('content-type')).toContain('application/problem+json');
    const after = Number(rejected.headers.get('retry-after'));
    expect(rejected.body).toMatchObject({
      code: 'rate-limit.exceeded',
      detail: `At most 3 of these requests are allowed in 60 seconds. Try again in ${after} seconds.`,
    });
    // Time of the rejection, computed from two headers that are both rounded up
    const rejectedAt = rateHeaders(rejected)[2]! - after;
    expect(rejectedAt).toBeGreaterThanOrEqual(startedAt - 1);
    expect(rejectedAt).toBeLessThanOrEqual(now() + 1);
  });

  it('counts per user and operation', async () => {
    for (let time = 0; time < 4; time++) await placeFavorite(first);
    expect((await placeFavorite(first, { token: 'other-writer' })).status).toBe(201);
    const text = await send('POST', `${first}/api/v1/materials/text`, { token: 'writer', body: { text: 'x' } });
    expect([text.status, ...rateHeaders(text).slice(0, 2)]).toEqual([200, 200, 199]);
  });

  it('allows requests again after the window', async () => {
    for (let time = 0; time < 4; time++) await placeFavorite(first);
    await redis.pexpire('rate-limit:favorites.create:1', 1);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(rateHeaders(await placeFavorite(second)).slice(0, 2)).toEqual([3, 2]);
  });

  it('counts requests that the service rejects', async () => {
    expect(rateHeaders(await placeFavorite(first, {}, 404)).slice(0, 2)).toEqual([3, 2]);
    const defect = await placeFavorite(first, {}, 500);
    expect([defect.status, ...rateHeaders(defect).slice(0, 2)]).toEqual([500, 3, 1]);
    const forbidden = await send('PUT', `${first}/api/v1/materials/1`, { token: 'writer', body: {} });
    expect([forbidden.status, ...rateHeaders(forbidden).slice(0, 2)]).toEqual([403, 200, 199]);
  });

  it('does not count invalid requests, but returns the remaining number', async () => {
    await placeFavorite(first);
    const responses = [
      await placeFavorite(first, {}, 'x'),
      await placeFavorite(first, { body: { count: 101 } }),
      await placeFavorite(first, { body: '{' }),
      await placeFavorite(first, { body: 'x'.repeat(1024 * 1024 + 1) }),
      await placeFavorite(first, { headers: { 'content-type': 'text/plain' } }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([400, 400, 400, 413, 415]);
    for (const response of responses) expect(rateHeaders(response)).toEqual([3, 2, expect.any(Number)]);
    expect(rateHeaders(await placeFavorite(first)).slice(0, 2)).toEqual([3, 1]);
  });

  it('returns the headers to users without the scope, and not without a valid token', async () => {
    const reader = await placeFavorite(first, { token: 'reader' });
    expect([reader.status, ...rateHeaders(reader).slice(0, 2)]).toEqual([401, 3, 3]);
    const unauthenticated = await placeFavorite(first, { token: 'unknown' });
    expect([unauthenticated.status, unauthenticated.headers.get('x-ratelimit-limit')]).toEqual([401, null]);
  });

  it('differs from others, whose responses have no rate limit headers', async () => {
    const response = await send('GET', `${first}/api/v1/materials`, { token: 'writer' });
    expect(response.headers.get('x-ratelimit-limit')).toBeNull();
  });
});
