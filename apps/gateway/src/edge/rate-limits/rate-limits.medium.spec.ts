import { Redis } from 'ioredis';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { RawReply } from '#request-queue';
import { GatewayStack, send, type Sent } from '../../testing/gateway-stack.js';

let stack: GatewayStack;
let redis: Redis;
let first: string;
let second: string;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'favorites.create': ({ productId }: any) => {
      if (productId === 404) throw new DomainError(problems['product.not-found'], 'There is no such product.');
      if (productId === 500) throw new Error('a defect');
      return RawReply.json('{}', { status: 201 });
    },
    'materials.text': () => RawReply.json('{}'),
    'materials.update': () => {
      throw new DomainError(problems['material.not-owned'], 'It belongs to somebody else.');
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

const favor = (url: string, { token = 'writer', ...sent }: Sent = {}, productId: number | string = 1) =>
  send('POST', `${url}/api/v1/products/${productId}/favorites`, { token, body: { count: 1 }, ...sent });

const left = ({ headers }: { headers: Headers }) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`) ?? NaN));

const now = () => Math.floor(Date.now() / 1_000);

describe('a limited operation', () => {
  it('says what is left, over all gateways, until nothing is', async () => {
    const began = now();
    const answers = [await favor(first), await favor(second), await favor(first), await favor(second)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 429]);
    expect(answers.map((it) => left(it).slice(0, 2))).toEqual([
      [3, 2],
      [3, 1],
      [3, 0],
      [3, 0],
    ]);
    for (const answer of answers) {
      expect(left(answer)[2]).toBeGreaterThan(now());
      expect(left(answer)[2]).toBeLessThanOrEqual(now() + 61);
    }
    const refused = answers[3]!;
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    expect(refused.body.code).toBe('rate-limit.exceeded');
    const after = Number(refused.headers.get('retry-after'));
    // The moment of the refusal, by its two headers, each rounded up
    const refusedAt = left(refused)[2]! - after;
    expect(refusedAt).toBeGreaterThanOrEqual(began - 1);
    expect(refusedAt).toBeLessThanOrEqual(now() + 1);
  });

  it('counts each user and each operation for itself', async () => {
    for (let time = 0; time < 4; time++) await favor(first);
    expect((await favor(first, { token: 'other-writer' })).status).toBe(201);
    const text = await send('POST', `${first}/api/v1/materials/text`, { token: 'writer', body: { text: 'x' } });
    expect([text.status, ...left(text).slice(0, 2)]).toEqual([200, 200, 199]);
  });

  it('allows everything again when the time is over', async () => {
    for (let time = 0; time < 4; time++) await favor(first);
    await redis.pexpire('rate-limit:favorites.create:1', 1);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(left(await favor(second)).slice(0, 2)).toEqual([3, 2]);
  });

  it('counts what the service refuses', async () => {
    expect(left(await favor(first, {}, 404)).slice(0, 2)).toEqual([3, 2]);
    const defect = await favor(first, {}, 500);
    expect([defect.status, ...left(defect).slice(0, 2)]).toEqual([500, 3, 1]);
    const forbidden = await send('PUT', `${first}/api/v1/materials/1`, { token: 'writer', body: {} });
    expect([forbidden.status, ...left(forbidden).slice(0, 2)]).toEqual([403, 200, 199]);
  });

  it('does not count what has the wrong shape, and says what is left all the same', async () => {
    await favor(first);
    const answers = [
      await favor(first, {}, 'x'),
      await favor(first, { body: { count: 101 } }),
      await favor(first, { body: '{' }),
      await favor(first, { body: 'x'.repeat(1024 * 1024 + 1) }),
      await favor(first, { headers: { 'content-type': 'text/plain' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 413, 415]);
    for (const answer of answers) expect(left(answer)).toEqual([3, 2, expect.any(Number)]);
    expect(left(await favor(first)).slice(0, 2)).toEqual([3, 1]);
  });

  it('tells a user whose token lacks the scope, and no stranger', async () => {
    const reader = await favor(first, { token: 'reader' });
    expect([reader.status, ...left(reader).slice(0, 2)]).toEqual([401, 3, 3]);
    const stranger = await favor(first, { token: 'nobody' });
    expect([stranger.status, stranger.headers.get('x-ratelimit-limit')]).toEqual([401, null]);
  });

  it('is the only one with these headers', async () => {
    const answer = await send('GET', `${first}/api/v1/materials`, { token: 'writer' });
    expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
  });
});
