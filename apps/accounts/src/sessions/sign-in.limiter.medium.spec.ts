import { Redis } from 'ioredis';
import { testRedisUrl } from '#testing';
import type { AccountsEnv } from '../env.js';
import { SignInRateLimiter } from './sign-in.limiter.js';

const attemptsAt = (url: string): SignInRateLimiter =>
  new SignInRateLimiter({ REDIS_REQUESTS_URL: url } as AccountsEnv);

const redisUrl = testRedisUrl();
let redis: Redis;
let here: SignInRateLimiter;
let there: SignInRateLimiter;
/** Whose Redis is away. */
let alone: SignInRateLimiter;

beforeAll(() => {
  redis = new Redis(redisUrl);
  here = attemptsAt(redisUrl);
  there = attemptsAt(redisUrl);
  // On a busy machine Redis takes longer than it may
  here.answerWithinMs = there.answerWithinMs = 20_000;
  alone = attemptsAt('redis://127.0.0.1:1');
});
afterAll(() => {
  for (const attempts of [here, there, alone]) attempts.onApplicationShutdown();
  redis.disconnect();
});
beforeEach(() => redis.flushdb());

const wrong = () => Promise.resolve(undefined);
const right = () => Promise.resolve(true);
const tooMany = expect.objectContaining({
  kind: expect.objectContaining({ code: 'sign-in.too-many', status: 429 }),
  headers: { 'retry-after': expect.stringMatching(/^(900|[1-8]?\d{1,2})$/) },
});
const fail = async (times: number, login: (n: number) => string, address: (n: number) => string) => {
  for (let n = 0; n < times; n++) await here.check(login(n), address(n), wrong);
};
const from = (n: number) => `192.0.2.${n}`;

describe('guesses at a password', () => {
  it('are checked twenty times and no more, when fifty come at once at two replicas', async () => {
    let checked = 0;
    const guess = async () => {
      checked += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return undefined;
    };
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, (_, n) => [here, there][n % 2]!.check('hanako', from(n), guess)),
    );
    expect(checked).toBe(20);
    const refused = answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => reason as unknown);
    expect(refused).toEqual(Array(30).fill(tooMany));
  });

  it('are refused over the limit even when they are right, and are not checked', async () => {
    await fail(20, () => 'hanako', from);
    let checked = false;
    await expect(there.check('hanako', '192.0.2.99', () => Promise.resolve((checked = true)))).rejects.toEqual(tooMany);
    expect(checked).toBe(false);
    expect(await here.check('taro', '192.0.2.99', right)).toBe(true);
  });

  it('are taken again when the time is over, which no refusal makes longer', async () => {
    await fail(20, () => 'hanako', from);
    const [key] = await redis.keys('attempts:login:*');
    await redis.pexpire(key!, 40_000);
    const afterSeconds = { 'retry-after': expect.stringMatching(/^(40|[1-3]\d)$/) };
    await expect(here.check('hanako', from(1), right)).rejects.toMatchObject({ headers: afterSeconds });
    expect(await redis.pttl(key!)).toBeLessThanOrEqual(40_000);
    await redis.pexpire(key!, 1);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await here.check('hanako', from(1), right)).toBe(true);
  });

  it('are given back when they are right, and only those', async () => {
    for (let n = 0; n < 25; n++) expect(await here.check('hanako', from(1), right)).toBe(true);
    await fail(19, () => 'hanako', from);
    expect(await here.check('hanako', from(30), right)).toBe(true);
    await fail(1, () => 'hanako', from);
    await expect(here.check('hanako', from(30), right)).rejects.toEqual(tooMany);
  });

  it('come a hundred times from one address, whoever they are about, and then take nobody any attempts', async () => {
    await fail(
      100,
      (n) => `user${n}`,
      () => from(1),
    );
    for (let n = 0; n < 20; n++) await expect(here.check('hanako', from(1), right)).rejects.toEqual(tooMany);
    expect(await here.check('hanako', from(2), right)).toBe(true);
  });

  it('leave no login in Redis', async () => {
    await fail(1, () => 'hanako@example.com', from);
    const keys = await redis.keys('*');
    expect(keys).toHaveLength(2);
    expect(keys.join()).not.toContain('hanako');
  });
});

it('nobody signs up more than fifty times from one address', async () => {
  for (let n = 0; n < 50; n++) await here.signUp(from(1));
  await expect(there.signUp(from(1))).rejects.toEqual(tooMany);
  await here.signUp(from(2));
});

it('another e-mail address counts as a sign-up, for either tells who is there', async () => {
  for (let n = 0; n < 50; n++) await here.changeEmail(from(1));
  await expect(there.changeEmail(from(1))).rejects.toEqual(tooMany);
  await expect(there.signUp(from(1))).rejects.toEqual(tooMany);
});

it('nobody sets out for a provider more than a hundred times from one address', async () => {
  for (let n = 0; n < 100; n++) await here.setOut(from(1));
  await expect(there.setOut(from(1))).rejects.toEqual(tooMany);
  await here.setOut(from(2));
});

it('nothing is checked that cannot be counted', async () => {
  let checked = false;
  const attempt = alone.check('hanako', from(1), () => Promise.resolve((checked = true)));
  await expect(attempt).rejects.toMatchObject({ kind: { code: 'service.unavailable', status: 503 } });
  expect(checked).toBe(false);
});
