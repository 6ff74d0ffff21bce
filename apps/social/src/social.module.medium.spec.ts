import type { INestMicroservice } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type pg from 'pg';
import { readEnvironment } from '#config';
import { createLog } from '#observability';
import { openQueueClients, QueueProblemFilter, QueueClients, QueueServer } from '#request-queue';
import { testDatabase, testRedisUrl, type TestDatabase } from '#testing';
import { Env } from './env.js';
import { SocialModule } from './social.module.js';
import { connectAsOwner, OtherServices } from './testing/social-stack.js';

let db: TestDatabase;
let owner: pg.Client;
let app: INestMicroservice;
let clients: QueueClients;

const log = createLog({ app: 'social', level: 'silent', format: 'json' });
/** Fake of the catalog service, for which every product exists. */
const catalog = {
  call: (_name: 'products.choose', request: { entries: { productId: number }[] }) =>
    Promise.resolve({ entries: request.entries.map((entry) => ({ ...entry, itemVariantId: 11 })) }),
};

beforeAll(async () => {
  db = await testDatabase('social');
  owner = await connectAsOwner(db);
  const others = new OtherServices(owner);
  await others.addProducts([10], (await others.addUsers()).hanako);
  const redisUrl = testRedisUrl();
  const env = readEnvironment(Env, {
    DATABASE_URL: db.url,
    REDIS_REQUESTS_URL: redisUrl,
    REDIS_JOBS_URL: testRedisUrl(),
  });
  const module = await Test.createTestingModule({ imports: [SocialModule.with(env, log)] })
    .overrideProvider(QueueClients)
    .useValue({ of: () => catalog })
    .compile();
  app = module.createNestMicroservice({ strategy: new QueueServer({ service: 'social', redisUrl }), logger: false });
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

const favorite = (productId: number) =>
  clients.of('social').request('favorites.create', { viewerId: 1, productId, anonymous: false, count: 2 });

it('replies to the health check', async () => {
  expect(await clients.of('social').call('health.check', {})).toEqual({ status: 'ok' });
});

it('replies to a favorite with 201', async () => {
  const { status, body } = await favorite(10);
  expect(status).toBe(201);
  expect(JSON.parse(body.toString())).toMatchObject({ favorite: { count: 2 }, meta: { totalCount: 2 } });
});

it('replies with 404 to a favorite on a product that the viewer may not see', async () => {
  const { status, body } = await favorite(11);
  expect(status).toBe(404);
  expect(JSON.parse(body.toString())).toMatchObject({ code: 'product.not-found' });
});

it('replies to a withdrawal with the favorite as it was, and to a second one with 404', async () => {
  await favorite(10);
  const withdraw = () => clients.of('social').request('favorites.delete', { viewerId: 1, productId: 10 });
  const first = await withdraw();
  expect(first.status).toBe(200);
  expect(JSON.parse(first.body.toString())).toMatchObject({ productId: 10 });
  const second = await withdraw();
  expect(second.status).toBe(404);
  expect(JSON.parse(second.body.toString())).toMatchObject({ code: 'favorite.not-found' });
});

it('creates a choice, lists it, and deletes it with 204 and no body', async () => {
  const { rows } = await owner.query<{ id: number }>(
    `insert into accounts.users (name, email) values ('saburo', 's@example.com') returning id`,
  );
  const viewerId = rows[0]!.id;
  const idempotency = { key: 'a', fingerprint: '0'.repeat(64) };
  const request = { viewerId, title: 'Light things', choiceProducts: [{ productId: 10 }], idempotency };
  const { choice } = await clients.of('social').call('choices.create', request);
  expect((await clients.of('social').request('choices.create', request)).headers['idempotency-replayed']).toBe('true');
  const { choices } = await clients.of('social').call('choices.list', { viewerId, limit: 20, offset: 0 });
  expect(choices).toEqual([choice]);
  const { status, body } = await clients.of('social').request('choices.delete', { viewerId, choiceId: choice.id });
  expect([status, body.length]).toEqual([204, 0]);
  const deleted = await clients.of('social').request('choices.get', { viewerId, choiceId: choice.id });
  expect(deleted.status).toBe(404);
});
