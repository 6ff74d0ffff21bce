import type { ServerResponse } from 'node:http';
import pg from 'pg';
import { generateWebhookSecret } from '#contracts';
import { eventually, testDatabase, type TestDatabase, TestProgram, testRedisUrl } from '#testing';
import { WebhookSecretCipher } from '../endpoints/webhook-secret.crypto.js';
import { startReceiver } from './testing/receiver.js';
import { appendEvent, insertEndpoint } from './testing/rows.js';

const encryptionSecret = 'a secret that is long enough for a key';

let db: TestDatabase;
let owner: pg.Client;
let environment: NodeJS.ProcessEnv;
const cleanup: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  db = await testDatabase('webhooks');
  owner = new pg.Client(db.ownerUrl);
  await owner.connect();
  environment = {
    DATABASE_URL: db.url,
    REDIS_REQUESTS_URL: testRedisUrl(),
    REDIS_JOBS_URL: testRedisUrl(),
    WEBHOOK_ENCRYPTION_SECRET: encryptionSecret,
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  };
});
afterAll(async () => {
  for (const close of cleanup.toReversed()) await close();
  await owner.end();
  await db.close();
});

async function startProgram(): Promise<TestProgram> {
  const program = await TestProgram.start('webhooks', environment);
  cleanup.push(() => program.kill());
  await program.untilReady();
  return program;
}

const countLockWaits = async () =>
  (
    await db.database.query<{ count: number }>(
      `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  )[0]!.count;
const deliveries = () => db.database.query('select status, attempts, claimed_until from webhook_deliveries');
const attempts = () => db.database.query('select number, status_code, error from webhook_attempts');

it('repeats a delivery under the same id when its process is killed before the result is committed', async () => {
  const open: ServerResponse[] = [];
  const receiver = await startReceiver((_, response) => void open.push(response));
  cleanup.push(() => receiver.close());
  const secrets = [new WebhookSecretCipher(encryptionSecret).encrypt(generateWebhookSecret(), 1)];
  await insertEndpoint(db.database, { userId: 1, url: receiver.url, secrets });
  const killed = await startProgram();
  const id = await appendEvent(db.database, { type: 'sale.recorded', userId: 1 });
  await eventually('the request has arrived', () => open.length === 1, 20_000);

  await owner.query('begin');
  await owner.query('select from webhooks.webhook_deliveries for update');
  open[0]!.writeHead(204).end();
  await eventually('the result waits for the lock', async () => (await countLockWaits()) === 1, 20_000);
  await killed.kill();
  // The server ends the statement of the killed process with `lock_timeout`
  await eventually('no statement waits', async () => (await countLockWaits()) === 0, 20_000);
  await owner.query('rollback');
  expect(await deliveries()).toEqual([{ status: 'pending', attempts: 0, claimed_until: expect.any(Date) }]);
  expect(await attempts()).toEqual([]);

  const next = await startProgram();
  await eventually('the request has arrived again', () => open.length === 2, 60_000);
  open[1]!.writeHead(204).end();
  const succeeded = [{ status: 'succeeded', attempts: 1, claimed_until: null }];
  await eventually('the result is stored', async () => (await attempts()).length === 1, 20_000);
  expect(await deliveries()).toEqual(succeeded);
  expect(await attempts()).toEqual([{ number: 1, status_code: 204, error: null }]);
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  const scrape = await next.scrape();
  expect(scrape.sum('webhook_deliveries_total', { outcome: 'succeeded' })).toBe(1);
  expect(scrape.sum('webhook_delay_seconds_count')).toBe(1);
  expect(scrape.sum('webhook_circuits_open')).toBe(0);
});
