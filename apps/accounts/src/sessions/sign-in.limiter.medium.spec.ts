import { Redis } from 'ioredis';
import { testRedisUrl } from '#testing';
import type { AccountsEnv } from '../env.js';
import { SignInRateLimiter } from './sign-in.limiter.js';

const limiterAt = (url: string): SignInRateLimiter => new SignInRateLimiter({ REDIS_REQUESTS_URL: url } as AccountsEnv);

const redisUrl = testRedisUrl();
let redis: Redis;
let replicaA: SignInRateLimiter;
let replicaB: SignInRateLimiter;
/** Limiter without a reachable Redis. */
let disconnected: SignInRateLimiter;

beforeAll(() => {
  redis = new Redis(redisUrl);
  replicaA = limiterAt(redisUrl);
  replicaB = limiterAt(redisUrl);
  // On a busy machine Redis exceeds the default timeout
  replicaA.redisTimeoutMs = replicaB.redisTimeoutMs = 20_000;
  disconnected = limiterAt('redis://127.0.0.1:1');
});
afterAll(() => {
  for (const limiter of [replicaA, replicaB, disconnected]) limiter.onApplicationShutdown();
  redis.disconnect();
});
beforeEach(() => redis.flushdb());

const wrongPassword = () => Promise.resolve(undefined);
const rightPassword = () => Promise.resolve(true);
const tooMany = expect.objectContaining({
  kind: expect.objectContaining({ code: 'sign-in.too-many', status: 429 }),
  headers: { 'retry-after': expect.stringMatching(/^(900|[1-8]?\d{1,2})$/) },
});
const fail = async (times: number, login: (n: number) => string, address: (n: number) => string) => {
  for (let n = 0; n < times; n++) await replicaA.check(login(n), address(n), wrongPassword);
};
const addressOf = (n: number) => `192.0.2.${n}`;

describe('password checks', () => {
  it('run at most twenty times when fifty arrive concurrently at two replicas', async () => {
    let checked = 0;
    const guess = async () => {
      checked += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return undefined;
    };
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, n) => [replicaA, replicaB][n % 2]!.check('hanako', addressOf(n), guess)),
    );
    expect(checked).toBe(20);
    const rejected = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as unknown);
    expect(rejected).toEqual(Array(30).fill(tooMany));
  });

  it('are rejected over the limit without a check, also with the right password', async () => {
    await fail(20, () => 'hanako', addressOf);
    let checked = false;
    await expect(replicaB.check('hanako', '192.0.2.99', () => Promise.resolve((checked = true)))).rejects.toEqual(
      tooMany,
    );
    expect(checked).toBe(false);
    expect(await replicaA.check('taro', '192.0.2.99', rightPassword)).toBe(true);
  });

  it('are accepted again after the window, which rejections do not extend', async () => {
    await fail(20, () => 'hanako', addressOf);
    const [key] = await redis.keys('attempts:login:*');
    await redis.pexpire(key!, 40_000);
    const afterSeconds = { 'retry-after': expect.stringMatching(/^(40|[1-3]\d)$/) };
    await expect(replicaA.check('hanako', addressOf(1), rightPassword)).rejects.toMatchObject({
      headers: afterSeconds,
    });
    expect(await redis.pttl(key!)).toBeLessThanOrEqual(40_000);
    await redis.pexpire(key!, 1);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await replicaA.check('hanako', addressOf(1), rightPassword)).toBe(true);
  });

  it('are not counted when the password is right', async () => {
    for (let n = 0; n < 25; n++) expect(await replicaA.check('hanako', addressOf(1), rightPassword)).toBe(true);
    await fail(19, () => 'hanako', addressOf);
    expect(await replicaA.check('hanako', addressOf(30), rightPassword)).toBe(true);
    await fail(1, () => 'hanako', addressOf);
    await expect(replicaA.check('hanako', addressOf(30), rightPassword)).rejects.toEqual(tooMany);
  });

  it('are limited to a hundred failures per IP address, beyond which logins are not counted', async () => {
    await fail(
      100,
      (n) => `user${n}`,
      () => addressOf(1),
    );
    for (let n = 0; n < 20; n++)
      await expect(replicaA.check('hanako', addressOf(1), rightPassword)).rejects.toEqual(tooMany);
    expect(await replicaA.check('hanako', addressOf(2), rightPassword)).toBe(true);
  });

  it('store no readable login in the keys of Redis', async () => {
    await fail(1, () => 'hanako@example.com', addressOf);
    const keys = await redis.keys('*');
    expect(keys).toHaveLength(2);
    expect(keys.join()).not.toContain('hanako');
  });
});

it('limits sign-ups to fifty per IP address', async () => {
  for (let n = 0; n < 50; n++) await replicaA.signUp(addressOf(1));
  await expect(replicaB.signUp(addressOf(1))).rejects.toEqual(tooMany);
  await replicaA.signUp(addressOf(2));
});

it('counts a change of the e-mail address as a sign-up, because both reveal existing e-mail addresses', async () => {
  for (let n = 0; n < 50; n++) await replicaA.changeEmail(addressOf(1));
  await expect(replicaB.changeEmail(addressOf(1))).rejects.toEqual(tooMany);
  await expect(replicaB.signUp(addressOf(1))).rejects.toEqual(tooMany);
});

it('limits redirects to a provider to a hundred per IP address', async () => {
  for (let n = 0; n < 100; n++) await replicaA.startProviderSignIn(addressOf(1));
  await expect(replicaB.startProviderSignIn(addressOf(1))).rejects.toEqual(tooMany);
  await replicaA.startProviderSignIn(addressOf(2));
});

it('checks nothing when attempts cannot be counted', async () => {
  let checked = false;
  const attempt = disconnected.check('hanako', addressOf(1), () => Promise.resolve((checked = true)));
  await expect(attempt).rejects.toMatchObject({ kind: { code: 'service.unavailable', status: 503 } });
  expect(checked).toBe(false);
});
