import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type pg from 'pg';
import { readEnvironment } from '#config';
import { createLog } from '#observability';
import { openQueueClients, QueueProblemFilter, type QueueClients, QueueServer } from '#request-queue';
import { eventually, testDatabase, testRedisUrl, type TestDatabase } from '#testing';
import { Env } from '../env.js';
import { SocialModule } from '../social.module.js';
import { connectAsOwner, OtherServices } from '../testing/social-stack.js';

let db: TestDatabase;
let owner: pg.Client;
let app: INestMicroservice;
let clients: QueueClients;
const [popular, other] = [10, 11];
const log = createLog({ app: 'social', level: 'silent', format: 'json' });

beforeAll(async () => {
  db = await testDatabase('social');
  owner = await connectAsOwner(db);
  const others = new OtherServices(owner);
  await others.addProducts([popular, other], (await others.addUsers()).hanako);
  const redisUrl = testRedisUrl();
  const urls = { DATABASE_URL: db.url, REDIS_REQUESTS_URL: redisUrl, REDIS_JOBS_URL: testRedisUrl() };
  const env = readEnvironment(Env, urls);
  const strategy = new QueueServer({ service: 'social', redisUrl, slots: env.REQUEST_SLOTS });
  app = await NestFactory.createMicroservice(SocialModule.with(env, log), { strategy, logger: false });
  app.useGlobalFilters(new QueueProblemFilter(log));
  await app.listen();
  clients = await openQueueClients({ app: 'gateway', redisUrl, services: ['social'] });
});
afterAll(async () => {
  await clients.close();
  await app.close();
  await owner.end();
  await db.close();
});

const placeFavorite = (productId: number, viewerId: number) =>
  clients
    .of('social')
    .request('favorites.create', { viewerId, productId, anonymous: false, count: 1 }, { timeoutMs: 50_000 });
const totalOf = async (productId: number) =>
  (await clients.of('social').call('favorites.stamps', { productId })).totalCount;

it('serves reads and other products while more favorites of one product wait than there are slots', async () => {
  await placeFavorite(popular, 1);
  await owner.query('begin');
  await owner.query('select from social.product_favorites where product_id = $1 for update', [popular]);
  const responses: { status: number; body: string }[] = [];
  const writes = Array.from({ length: 100 }, async (_, n) => {
    const { status, body } = await placeFavorite(popular, 100 + n);
    responses.push({ status, body: body.toString() });
  });
  // The remaining writes occupy half of the slots until the lock is released
  await eventually('the writes beyond the limit are rejected', () => responses.length >= 68);
  for (const { status, body } of responses)
    expect([status, JSON.parse(body)]).toMatchObject([503, { code: 'service.overloaded' }]);
  for (let n = 0; n < 20; n += 1) expect(await totalOf(popular)).toBe(1);
  const placed = await Promise.all(Array.from({ length: 10 }, (_, n) => placeFavorite(other, 100 + n)));
  expect(placed.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
  await owner.query('rollback');
  await Promise.all(writes);
  const statuses = responses.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([201, 503]));
  expect(await totalOf(popular)).toBe(1 + statuses.filter((status) => status === 201).length);
});
