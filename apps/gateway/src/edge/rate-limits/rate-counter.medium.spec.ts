import { jest } from '@jest/globals';
import { QueueConnection } from '#request-queue';
import { testRedisUrl } from '#testing';
import { RateCounter } from './rate-counter.js';

let connection: QueueConnection;
let counter: RateCounter;

beforeAll(async () => {
  connection = new QueueConnection({ redisUrl: testRedisUrl(), name: 'rate-counter' });
  counter = new RateCounter(connection);
  await connection.whenReady(5_000);
});
afterAll(() => connection.close());
beforeEach(async () => {
  await connection.redis.del('rate-limit:one', 'rate-limit:other', 'rate-limit:none');
});

const increment = (key: string) => counter.increment(`rate-limit:${key}`, 60);

it('counts the requests of one tick with one command, each after the previous ones', async () => {
  const send = jest.spyOn(connection.redis, 'sendCommand');
  const [none, ...counts] = await Promise.all([
    counter.read('rate-limit:none'),
    ...Array.from({ length: 16 }, (_, n) => increment(n % 2 === 0 ? 'one' : 'other')),
  ]);
  expect(send).toHaveBeenCalledTimes(1);
  send.mockRestore();
  expect(none).toBeUndefined();
  expect(counts.map(({ requests }) => requests)).toEqual(Array.from({ length: 16 }, (_, n) => Math.floor(n / 2) + 1));
  expect(await counter.read('rate-limit:other')).toMatchObject({ requests: 8 });
});

it('starts a window with its first request, and does not extend it', async () => {
  expect(await increment('one')).toEqual({ requests: 1, leftMs: 60_000 });
  await connection.redis.pexpire('rate-limit:one', 5_000);
  const { requests, leftMs } = await increment('one');
  expect(requests).toBe(2);
  expect(leftMs).toBeLessThanOrEqual(5_000);
});

it('gives a count without a window a window, instead of counting forever', async () => {
  await connection.redis.set('rate-limit:one', 3);
  expect(await increment('one')).toEqual({ requests: 4, leftMs: 60_000 });
});

it('fails all requests of the tick when Redis rejects the command', async () => {
  await connection.redis.set('rate-limit:one', 'text');
  const results = await Promise.allSettled([increment('other'), increment('one')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
