import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readEnvironment } from '#config';
import { appendEvent } from '#events';
import { createLog } from '#observability';
import { openQueueClients, QueueProblemFilter, QueueServer, type QueueClients } from '#request-queue';
import { eventually, testDatabase, testRedisUrl, type TestDatabase } from '#testing';
import { ActivityModule } from './activity.module.js';
import { Env } from './env.js';

let db: TestDatabase;
let app: INestMicroservice;
let clients: QueueClients;

const log = createLog({ app: 'activity', level: 'silent', format: 'json' });

beforeAll(async () => {
  db = await testDatabase('activity');
  const redisUrl = testRedisUrl();
  const env = readEnvironment(Env, {
    DATABASE_URL: db.url,
    REDIS_REQUESTS_URL: redisUrl,
    REDIS_JOBS_URL: testRedisUrl(),
    DATE_TIME_FORMAT: 'rfc3339',
    TIME_ZONE: 'Asia/Tokyo',
  });
  const strategy = new QueueServer({ service: 'activity', redisUrl });
  app = await NestFactory.createMicroservice(ActivityModule.with(env, log), { strategy, logger: false });
  app.useGlobalFilters(new QueueProblemFilter(log));
  await app.listen();
  clients = await openQueueClients({ app: 'gateway', redisUrl, services: ['activity'] });
});
afterAll(async () => {
  await clients.close();
  await app.close();
  await db.close();
});

const unreads = async (viewerId: number) =>
  (await clients.of('activity').call('activities.unreads', { viewerId })).unreads;

it('replies to a health check', async () => {
  expect(await clients.of('activity').call('health.check', {})).toEqual({ status: 'ok' });
});

it('counts and lists activities of events from the queue', async () => {
  const favorite = { favoriteId: 1, productId: 10, productTitle: 'Lighthouse T-shirt', anonymous: true, count: 1 };
  // Written to the outbox of this service, whose relay publishes events as those of other services
  // do
  await db.database.transaction(async (tx) => {
    await appendEvent(tx, 'favorite.placed', { ...favorite, ownerId: 1, userId: 2 });
    await appendEvent(tx, 'material.rendered', { materialId: 5, userId: 1, title: 'Lighthouse', images: 12 });
    const sold = { productId: 10, productTitle: 'Lighthouse T-shirt', ownerId: 1 };
    await appendEvent(tx, 'sale.recorded', { ...sold, buyerId: null });
  });
  await eventually('three unread activities', async () => (await unreads(1)) === 3);
  const { activities } = await clients
    .of('activity')
    .call('activities.list', { viewerId: 1, limit: 30, language: 'ja' });
  expect(activities.map(({ message }) => message).sort()).toEqual([
    '「Lighthouse T-shirt」が売れました。',
    '「Lighthouse」の画像ができました。',
    '匿名ユーザーが「Lighthouse T-shirt」をお気に入りに追加しました。',
  ]);
  expect(activities[0]!.createdAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+\+09:00$/);
  expect(await unreads(1)).toBe(0);
});
