import type { INestMicroservice } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { readEnvironment } from '#config';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { createLog } from '#observability';
import { openQueueClients, ProblemFilter, QueueClients, QueueServer } from '#request-queue';
import { testDatabase, testRedisUrl, type TestDatabase } from '#testing';
import { Env } from './env.js';
import { SocialModule } from './social.module.js';

let db: TestDatabase;
let app: INestMicroservice;
let clients: QueueClients;

const log = createLog({ app: 'social', level: 'silent', format: 'json' });
/** Stands for another service, which knows product 10 only. */
const catalog = {
  call: (_name: string, { productId }: { productId: number }) =>
    productId === 10
      ? Promise.resolve({ productId, title: 'Lighthouse', ownerId: 7 })
      : Promise.reject(new DomainError(problems['product.not-found'], `There is no product ${productId}.`)),
};

beforeAll(async () => {
  db = await testDatabase('social');
  const redisUrl = testRedisUrl();
  const env = readEnvironment(Env, {
    DATABASE_URL: db.url,
    REDIS_REQUESTS_URL: redisUrl,
    REDIS_JOBS_URL: testRedisUrl(),
  });
  const module = await Test.createTestingModule({ imports: [SocialModule.with(env)] })
    .overrideProvider(QueueClients)
    .useValue({ catalog })
    .compile();
  app = module.createNestMicroservice({ strategy: new QueueServer({ service: 'social', redisUrl }), logger: false });
  app.useGlobalFilters(new ProblemFilter(log));
  await app.listen();
  clients = await openQueueClients({ redisUrl, services: ['social'] });
});
afterAll(async () => {
  await clients.close();
  await app.close();
  await db.close();
});

const favorite = (productId: number) =>
  clients.social.request('favorites.create', { viewerId: 1, productId, anonymous: false, count: 2 });

it('answers that it is healthy', async () => {
  expect(await clients.social.call('health.check', {})).toEqual({ status: 'ok' });
});

it('answers a favorite with 201', async () => {
  const { status, body } = await favorite(10);
  expect(status).toBe(201);
  expect(JSON.parse(body.toString())).toMatchObject({ favorite: { count: 2 }, meta: { totalCount: 2 } });
});

it('hands on the 404 of a product that may not be seen', async () => {
  const { status, body } = await favorite(11);
  expect(status).toBe(404);
  expect(JSON.parse(body.toString())).toMatchObject({ code: 'product.not-found' });
});
