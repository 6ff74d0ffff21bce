import { appendEvent } from '#events';
import { openQueueClients, type QueueClients } from '#request-queue';
import { eventually, testDatabase, type TestDatabase, TestProgram, testRedisUrl } from '#testing';

let db: TestDatabase;
let program: TestProgram;
let clients: QueueClients;

beforeAll(async () => {
  db = await testDatabase('webhooks');
  const redisUrl = testRedisUrl();
  program = await TestProgram.start('webhooks', {
    DATABASE_URL: db.url,
    REDIS_REQUESTS_URL: redisUrl,
    REDIS_JOBS_URL: testRedisUrl(),
    WEBHOOK_ENCRYPTION_SECRET: 'a secret that is long enough for a key',
  });
  clients = await openQueueClients({ app: 'gateway', redisUrl, services: ['webhooks'] });
});
afterAll(async () => {
  await clients.close();
  await program.kill();
  await db.close();
});

it('starts and reports ready at its internal port', async () => {
  await program.untilReady();
  expect((await program.ready())?.body.parts).toEqual({ database: 'ok', jobs: 'ok', requests: 'ok' });
});

it('replies to health.check', async () => {
  expect(await clients.of('webhooks').call('health.check', {})).toEqual({ status: 'ok' });
});

it('appends delivered events to the log', async () => {
  // Through the outbox of this service instead of that of catalog: the delivery is the same
  const sold = { productId: 1, productTitle: 'Lighthouse T-shirt', ownerId: 1, buyerId: null };
  await db.database.transaction((tx) => appendEvent(tx, 'sale.recorded', sold));
  await eventually('the sale is logged', async () => {
    const { events } = await clients.of('webhooks').call('events.list', { viewerId: 1, limit: 50 });
    return events.length === 1 && events[0]!.type === 'sale.recorded';
  });
});
