import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { generateWebhookSecret } from '#contracts';
import { silentLog } from '#request-queue';
import { eventually, testDatabase, type TestDatabase, testRedisUrl } from '#testing';
import type { WebhooksEnv } from '../env.js';
import { AttemptEntity } from './attempt.entity.js';
import { EndpointEntity } from '../endpoints/endpoint.entity.js';
import { EndpointRepository } from '../endpoints/endpoint.repository.js';
import { WebhookSecretCipher } from '../endpoints/webhook-secret.crypto.js';
import { DeliveryDispatcher } from './delivery.dispatcher.js';
import { DeliveryEntity } from './delivery.entity.js';
import { DeliveryQueries } from './delivery.queries.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliveryService } from './delivery.service.js';
import { type Receiver, startReceiver } from './testing/receiver.js';
import { appendEvent, insertEndpoint } from './testing/rows.js';
import { WebhookClient } from './webhook.client.js';
import { Webhook } from 'standardwebhooks';

const cipher = new WebhookSecretCipher('a secret of at least thirty-two characters');
const secret = generateWebhookSecret();
const encryptedSecrets = [cipher.encrypt(secret, 1)];

let db: TestDatabase;
let deliveries: DeliveryRepository;
let jobsUrl: string;
const cleanup: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  db = await testDatabase('webhooks', [EndpointEntity, DeliveryEntity, AttemptEntity]);
  deliveries = new DeliveryRepository(db.database);
});
afterAll(() => db.close());
beforeEach(() => {
  jobsUrl = testRedisUrl();
});
afterEach(async () => {
  for (const close of cleanup.splice(0).reverse()) await close();
  for (const table of ['webhook_endpoints', 'events', 'outbox']) await db.database.query(`delete from ${table}`);
});

/** Starts a dispatcher and its worker, like one process of the service. */
function startDispatcher({ timeoutMs = 5_000, drainMs = 5_000 } = {}): DeliveryDispatcher {
  const client = new WebhookClient({ allowedHosts: new Set(['127.0.0.1']), timeoutMs });
  const dispatcher = new DeliveryDispatcher(
    db.database,
    deliveries,
    new DeliveryQueries(db.database),
    new DeliveryService(deliveries, cipher, client),
    { REDIS_JOBS_URL: jobsUrl, DRAIN_MS: drainMs } as WebhooksEnv,
    silentLog as never,
  );
  dispatcher.onApplicationBootstrap();
  cleanup.push(() => dispatcher.onModuleDestroy());
  return dispatcher;
}

async function receiver(...respond: Parameters<typeof startReceiver>): Promise<Receiver> {
  const started = await startReceiver(...respond);
  cleanup.push(() => started.close());
  return started;
}

const limits = { perEndpoint: 8, shared: 256 };
const status =
  (code: number, headers = {}): Parameters<typeof startReceiver>[0] =>
  (_, response) =>
    void response.writeHead(code, headers).end();
const sale = { type: 'sale.recorded', userId: 1 };
const ids = ({ received }: Receiver): string[] => received.map(({ headers }) => String(headers['webhook-id']));
const untilCount = (what: string, target: Receiver, count: number) =>
  eventually(what, () => Promise.resolve(target.received.length >= count), 20_000);
const rows = <Row>(sql: string) => db.database.query<Row>(sql);
const untilRows = (what: string, sql: string, count: number) =>
  eventually(what, async () => (await rows(sql)).length === count, 20_000);
const attempted = 'select from webhook_attempts';
const succeeded = "select from webhook_deliveries where status = 'succeeded'";

it('delivers the event of the log, signed', async () => {
  const target = await receiver();
  await insertEndpoint(db.database, { userId: 1, url: target.url, secrets: encryptedSecrets });
  const id = await appendEvent(db.database, sale);
  startDispatcher();
  await untilRows('the delivery has succeeded', succeeded, 1);
  const [{ headers, body }] = target.received as [Receiver['received'][number]];
  const event = new Webhook(secret).verify(body, headers as Record<string, string>) as object;
  expect(Object.keys(event)).toEqual(['id', 'type', 'timestamp', 'userId', 'sequence', 'data']);
  expect(event).toMatchObject({ id, type: 'sale.recorded', userId: 1, sequence: 1, data: { productId: 1 } });
  expect(headers['webhook-id']).toBe(id);
  expect(await rows('select number, status_code, error, next_attempt_at from webhook_attempts')).toEqual([
    { number: 1, status_code: 204, error: null, next_attempt_at: null },
  ]);
});

it('sends the time of the attempt in the header, and that of the event in the body', async () => {
  const target = await receiver();
  await insertEndpoint(db.database, { userId: 1, url: target.url, secrets: encryptedSecrets });
  await appendEvent(db.database, sale);
  await db.database.query("update events set occurred_at = '2026-11-20T09:00:00.250Z'");
  startDispatcher();
  await untilRows('the delivery has succeeded', succeeded, 1);
  const [{ headers, body }] = target.received as [Receiver['received'][number]];
  expect(JSON.parse(body)).toMatchObject({ timestamp: '2026-11-20T09:00:00.250Z' });
  expect(Math.abs(Date.now() / 1_000 - Number(headers['webhook-timestamp']))).toBeLessThan(60);
});

describe('with a secret that cannot be decrypted', () => {
  const lost = new WebhookSecretCipher('another secret of thirty-two characters').encrypt(secret, 1);
  let warnings: jest.SpiedFunction<Logger['warn']>;
  beforeEach(() => {
    warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  });
  afterEach(() => warnings.mockRestore());

  it('signs with the others, and logs it once', async () => {
    const target = await receiver();
    await insertEndpoint(db.database, { userId: 1, url: target.url, secrets: [...encryptedSecrets, lost] });
    for (let n = 1; n <= 3; n += 1) await appendEvent(db.database, sale);
    startDispatcher();
    await untilRows('all deliveries have succeeded', succeeded, 3);
    for (const { headers, body } of target.received) {
      expect(headers['webhook-signature']).not.toContain(' ');
      expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
    }
    expect(warnings.mock.calls).toEqual([[expect.stringContaining('WEBHOOK_ENCRYPTION_SECRET')]]);
    expect(JSON.stringify(warnings.mock.calls)).not.toContain(lost);
  });

  it('and no other, fails without a request, like any failure', async () => {
    const target = await receiver();
    await insertEndpoint(db.database, { userId: 1, url: target.url, secrets: [lost] });
    await appendEvent(db.database, sale);
    startDispatcher();
    await untilRows('the first attempt has failed', attempted, 1);
    expect(await rows('select status_code, error from webhook_attempts where next_attempt_at > now()')).toEqual([
      { status_code: null, error: 'no-secret' },
    ]);
    expect(await rows('select failures from webhook_endpoints where failing_since is not null')).toEqual([
      { failures: 1 },
    ]);
    expect(target.received).toEqual([]);
  });
});

it('delivers an event soon after its commit', async () => {
  const target = await receiver();
  await insertEndpoint(db.database, { userId: 1, url: target.url, secrets: encryptedSecrets });
  startDispatcher();
  for (let n = 1; n <= 20; n += 1) await appendEvent(db.database, sale);
  await untilRows('all deliveries have succeeded', succeeded, 20);
  expect(new Set(ids(target)).size).toBe(20);
  expect(target.received).toHaveLength(20);
});

it('retries a failed delivery under the same id, and stores the class of the failure only', async () => {
  let code = 500;
  const target = await receiver((_, response) => void response.writeHead(code).end('confidential'));
  await insertEndpoint(db.database, { userId: 1, url: target.url, secrets: encryptedSecrets });
  const id = await appendEvent(db.database, sale);
  startDispatcher();
  await untilRows('the first attempt has failed', attempted, 1);
  const [delivery] = await rows<{ status: string; delay: number; error: string }>(
    `select d.status, extract(epoch from d.next_attempt_at - started_at)::float8 - duration_ms / 1000.0 as delay, a::text as error
     from webhook_deliveries d join webhook_attempts a on a.delivery_id = d.id and a.next_attempt_at = d.next_attempt_at`,
  );
  expect(delivery!.status).toBe('pending');
  expect(Math.round(delivery!.delay)).toBe(5);
  expect(delivery!.error).toContain(',500,status,');
  expect(delivery!.error).not.toContain('confidential');
  code = 200;
  await db.database.query('update webhook_deliveries set next_attempt_at = now()');
  await untilRows('the delivery has succeeded', succeeded, 1);
  expect(ids(target)).toEqual([id, id]);
  expect(await rows('select failures, failing_since from webhook_endpoints')).toEqual([
    { failures: 0, failing_since: null },
  ]);
});

it('starts a round after an attempt only if the endpoint may have a further due delivery', async () => {
  await insertEndpoint(db.database, { userId: 1, secrets: encryptedSecrets });
  for (let n = 1; n <= 3; n += 1) await appendEvent(db.database, sale);
  await db.database.query(
    "update webhook_deliveries set next_attempt_at = now() + interval '1 hour' where id = (select max(id) from webhook_deliveries)",
  );
  const success = { startedAt: new Date(), durationMs: 5, statusCode: 204, error: null, retryAfterMs: 0 };
  const recordNext = async () => {
    const [claim] = await deliveries.claim({ perEndpoint: 1, shared: 1 }, 10, 30_000);
    return deliveries.record(claim!, success);
  };
  expect(await recordNext()).toEqual({ status: 'succeeded', hasMore: true });
  expect(await recordNext()).toEqual({ status: 'succeeded', hasMore: false });
});

it.each([-3_600_000, 3_600_000])('schedules a retry by the clock of the database, not its own (%d ms)', async (ms) => {
  const endpointId = await insertEndpoint(db.database, { userId: 1, secrets: encryptedSecrets });
  await appendEvent(db.database, sale);
  await db.database.query("update webhook_endpoints set failures = 4, failing_since = now() - interval '1 minute'");
  const [claim] = await deliveries.claim(limits, 10, 30_000);
  const SystemDate = Date;
  const startedAt = new Date();
  globalThis.Date = class extends SystemDate {
    constructor(...values: [] | [number]) {
      super(...(values.length === 0 ? ([SystemDate.now() + ms] as const) : values));
    }
  } as DateConstructor;
  const failure = { startedAt, durationMs: 5, statusCode: 500, error: 'status', retryAfterMs: 0 } as const;
  await deliveries.record(claim!, failure).finally(() => (globalThis.Date = SystemDate));
  const [wait] = await rows<{ retry: number; breaker: number }>(
    `select extract(epoch from next_attempt_at - now())::float8 as retry, extract(epoch from open_until - now())::float8 as breaker
     from webhook_deliveries join webhook_endpoints e on e.id = endpoint_id where e.id = ${endpointId}`,
  );
  expect(Math.round(wait!.retry / 5)).toBe(1);
  expect(Math.round(wait!.breaker / 10)).toBe(3);
});

it('ends a delivery after the last attempt of its schedule', async () => {
  const target = await receiver(status(500));
  await insertEndpoint(db.database, { userId: 1, url: target.url, secrets: encryptedSecrets });
  await appendEvent(db.database, sale);
  await db.database.query('update webhook_deliveries set attempts = 12, schedule_step = 9');
  startDispatcher();
  await untilRows('the delivery has failed', "select from webhook_deliveries where status = 'failed'", 1);
  expect(await rows('select attempts, next_attempt_at, claimed_until from webhook_deliveries')).toEqual([
    { attempts: 13, next_attempt_at: null, claimed_until: null },
  ]);
});

it('makes no attempt at an endpoint before its Retry-After', async () => {
  const target = await receiver(status(429, { 'retry-after': '600' }));
  await insertEndpoint(db.database, { userId: 1, url: target.url, secrets: encryptedSecrets });
  await appendEvent(db.database, sale);
  startDispatcher();
  await untilRows('the first attempt has failed', attempted, 1);
  await appendEvent(db.database, sale);
  expect(await deliveries.claim(limits, 10, 1_000)).toEqual([]);
  const [row] = await rows<{ wait: number }>(
    'select extract(epoch from open_until - now())::float8 as wait from webhook_endpoints',
  );
  expect(row!.wait).toBeGreaterThan(590);
});

describe('an endpoint is disabled, and its owner notified,', () => {
  const outcome = async () => ({
    endpoints: await rows('select status, disabled_reason as reason from webhook_endpoints'),
    notifications: await rows("select payload from outbox where name = 'webhook.disabled'"),
  });

  it('at once by 410', async () => {
    const target = await receiver(status(410));
    const endpointId = await insertEndpoint(db.database, { userId: 1, url: target.url, secrets: encryptedSecrets });
    await appendEvent(db.database, sale);
    startDispatcher();
    await untilRows('the delivery has failed', "select from webhook_deliveries where status = 'failed'", 1);
    expect(await outcome()).toEqual({
      endpoints: [{ status: 'disabled', reason: 'status-410' }],
      notifications: [{ payload: { endpointId, userId: 1, host: target.host } }],
    });
  });

  it('after five days of failures, and its other deliveries wait', async () => {
    const target = await receiver(status(500));
    await insertEndpoint(db.database, { userId: 1, url: target.url, secrets: encryptedSecrets });
    await db.database.query("update webhook_endpoints set failures = 40, failing_since = now() - interval '5 days'");
    for (let n = 1; n <= 3; n += 1) await appendEvent(db.database, sale);
    startDispatcher();
    await untilRows('the endpoint is disabled', "select from webhook_endpoints where status = 'disabled'", 1);
    expect((await outcome()).endpoints).toEqual([{ status: 'disabled', reason: 'failures' }]);
    expect((await outcome()).notifications).toHaveLength(1);
    expect(target.received).toHaveLength(1);
    expect(await rows("select from webhook_deliveries where status = 'pending'")).toHaveLength(3);
    await appendEvent(db.database, sale);
    expect(await rows('select from webhook_deliveries')).toHaveLength(3);
  });
});

it('makes one attempt at a time at a failing endpoint, and none while its breaker is open', async () => {
  const endpointId = await insertEndpoint(db.database, { userId: 1, secrets: encryptedSecrets });
  for (let n = 1; n <= 12; n += 1) await appendEvent(db.database, sale);
  const claimed = async () => {
    const claims = await deliveries.claim(limits, 100, 60_000);
    return claims.length;
  };
  const release = () => db.database.query('update webhook_deliveries set claimed_until = null');
  expect(await claimed()).toBe(8);
  expect(await claimed()).toBe(0);
  await release();
  const failing = 'update webhook_endpoints set failures = 1, failing_since = now() where id = $1';
  await db.database.query(failing, [endpointId]);
  expect(await claimed()).toBe(1);
  expect(await claimed()).toBe(0);
  await release();
  await db.database.query("update webhook_endpoints set open_until = now() + interval '1 minute'");
  expect(await claimed()).toBe(0);
  await db.database.query("update webhook_endpoints set open_until = now() - interval '1 second'");
  expect(await claimed()).toBe(1);
});

it('claims concurrently without exceeding the limit of an endpoint', async () => {
  await insertEndpoint(db.database, { userId: 1, secrets: encryptedSecrets });
  for (let n = 1; n <= 20; n += 1) await appendEvent(db.database, sale);
  const claims = await Promise.all([1, 2, 3, 4].map(() => deliveries.claim(limits, 100, 60_000)));
  expect(claims.flat()).toHaveLength(8);
});

it('claims a second attempt at an endpoint only while few are in progress, the first always', async () => {
  const [first, second] = [
    await insertEndpoint(db.database, { userId: 1 }),
    await insertEndpoint(db.database, { userId: 1 }),
  ];
  for (let n = 1; n <= 4; n += 1) await appendEvent(db.database, sale);
  const claimedBy = async (shared: number) => {
    const claims = await deliveries.claim({ perEndpoint: 8, shared }, 100, 60_000);
    const found = await db.database.query<{ endpointId: number }>(
      'select endpoint_id as "endpointId" from webhook_deliveries where id = any($1) order by 1',
      [claims.map(({ delivery }) => delivery)],
    );
    return found.map(({ endpointId }) => endpointId);
  };
  await db.database.query("update webhook_endpoints set status = 'paused' where id = $1", [second]);
  expect(await claimedBy(3)).toEqual([first, first, first]);
  await db.database.query("update webhook_endpoints set status = 'enabled'");
  expect(await claimedBy(3)).toEqual([second]);
  expect(await claimedBy(4)).toEqual([]);
  expect(await claimedBy(6)).toEqual([second, second]);
});

it('leaves attempts to others while two users have many slow endpoints', async () => {
  for (const userId of [1, 2]) {
    for (let n = 1; n <= 20; n += 1) await insertEndpoint(db.database, { userId });
    for (let n = 1; n <= 8; n += 1) await appendEvent(db.database, { ...sale, userId });
  }
  const claimed = async () => {
    const claims = await deliveries.claim(limits, 1_000, 60_000);
    const found = await db.database.query<{ userId: number }>(
      `select user_id as "userId" from webhook_deliveries d join webhook_endpoints e on e.id = endpoint_id
       where d.id = any($1)`,
      [claims.map(({ delivery }) => delivery)],
    );
    return [1, 2, 3].map((userId) => found.filter((it) => it.userId === userId).length);
  };
  expect(await claimed()).toEqual([32, 32, 0]);
  await insertEndpoint(db.database, { userId: 3 });
  for (let n = 1; n <= 8; n += 1) await appendEvent(db.database, { ...sale, userId: 3 });
  expect(await claimed()).toEqual([0, 0, 8]);
  await insertEndpoint(db.database, { userId: 1 });
  await appendEvent(db.database, sale);
  expect(await claimed()).toEqual([1, 0, 0]);
});

it('claims a delivery again when the job was lost', async () => {
  const target = await receiver();
  await insertEndpoint(db.database, { userId: 1, url: target.url, secrets: encryptedSecrets });
  await appendEvent(db.database, sale);
  expect(await deliveries.claim(limits, 10, 300)).toHaveLength(1);
  startDispatcher();
  await untilRows('the delivery has succeeded', succeeded, 1);
  expect(target.received).toHaveLength(1);
});

it('does not deliver to a paused endpoint until it is enabled', async () => {
  const target = await receiver();
  await insertEndpoint(db.database, { userId: 1, url: target.url, secrets: encryptedSecrets });
  await insertEndpoint(db.database, { userId: 9, url: target.url, secrets: encryptedSecrets });
  await appendEvent(db.database, sale);
  await db.database.query("update webhook_endpoints set status = 'paused' where user_id = 1");
  expect(await deliveries.claim(limits, 10, 300)).toEqual([]);
  await db.database.query("update webhook_endpoints set status = 'enabled'");
  startDispatcher();
  await untilRows('the delivery has succeeded', succeeded, 1);
});

it('does not deliver events of a user who has revoked the application', async () => {
  const target = await receiver();
  const endpointId = await insertEndpoint(db.database, {
    userId: 1,
    applicationId: 7,
    url: target.url,
    secrets: encryptedSecrets,
  });
  await appendEvent(db.database, sale);
  await db.database.query(
    'insert into webhook_deliveries (endpoint_id, position) select $1, position from events where user_id = 1',
    [endpointId],
  );
  startDispatcher();
  await untilRows('it is cancelled', "select from webhook_deliveries where status = 'cancelled'", 1);
  expect(target.received).toEqual([]);
  expect(await rows(attempted)).toEqual([]);
});

it('a dead and a hanging endpoint do not delay a healthy one', async () => {
  const dead = await startReceiver();
  await dead.close();
  const hanging = await receiver(() => undefined);
  const healthy = await receiver();
  for (const { url } of [dead, hanging, healthy])
    await insertEndpoint(db.database, { userId: 1, url, secrets: encryptedSecrets });
  startDispatcher({ timeoutMs: 60_000, drainMs: 100 });
  for (let n = 1; n <= 50; n += 1) await appendEvent(db.database, sale);
  await untilCount('the healthy endpoint has received all events', healthy, 50);
  // The hanging attempts have not ended in the meantime
  expect(hanging.received).toHaveLength(8);
  expect(new Set(ids(healthy)).size).toBe(50);
});

it('eighty hanging endpoints of ten users do not use up the attempts of a process', async () => {
  const hanging = await receiver(() => undefined);
  const healthy = await receiver();
  for (let userId = 11; userId <= 20; userId += 1) {
    const secrets = [cipher.encrypt(secret, userId)];
    for (let n = 1; n <= 8; n += 1) await insertEndpoint(db.database, { userId, url: hanging.url, secrets });
    for (let n = 1; n <= 10; n += 1) await appendEvent(db.database, { ...sale, userId });
  }
  startDispatcher({ timeoutMs: 120_000, drainMs: 100 });
  const claimed = 'select from webhook_deliveries where claimed_until is not null';
  await eventually('attempts are claimed', async () => (await rows(claimed)).length >= 256, 60_000);
  await insertEndpoint(db.database, { userId: 2, url: healthy.url, secrets: [cipher.encrypt(secret, 2)] });
  for (let n = 1; n <= 5; n += 1) await appendEvent(db.database, { ...sale, userId: 2 });
  await eventually('the healthy endpoint has received all', async () => (await rows(succeeded)).length === 5, 60_000);
}, 150_000);

it('an attempt that is aborted at shutdown does not count, and is made again', async () => {
  let isHanging = true;
  const target = await receiver((_, response) => {
    if (!isHanging) response.writeHead(204).end();
  });
  await insertEndpoint(db.database, { userId: 1, url: target.url, secrets: encryptedSecrets });
  await appendEvent(db.database, sale);
  const first = startDispatcher({ timeoutMs: 60_000, drainMs: 100 });
  await untilCount('the request has arrived', target, 1);
  await first.onModuleDestroy();
  expect(await rows('select attempts, status, claimed_until from webhook_deliveries')).toEqual([
    { attempts: 0, status: 'pending', claimed_until: null },
  ]);
  isHanging = false;
  startDispatcher();
  await untilRows('the delivery has succeeded', succeeded, 1);
  expect(new Set(ids(target)).size).toBe(1);
});

it('adds no job for a delivery twice', async () => {
  const target = await receiver();
  await insertEndpoint(db.database, { userId: 1, url: target.url, secrets: encryptedSecrets });
  startDispatcher();
  startDispatcher();
  for (let n = 1; n <= 30; n += 1) await appendEvent(db.database, sale);
  await untilRows('all deliveries have succeeded', succeeded, 30);
  expect(target.received).toHaveLength(30);
  const redis = new Redis(jobsUrl);
  expect(await redis.keys('storefront:webhook-deliveries:[0-9]*')).toEqual([]);
  await redis.quit();
});

describe('deletion', () => {
  const sweepEndpoints = async () => {
    await deliveries.markWithoutApplication();
    while (await deliveries.deleteOfDeletedEndpoints());
  };

  it('removes deliveries of 30 days ago with their attempts', async () => {
    await insertEndpoint(db.database, { userId: 1, secrets: encryptedSecrets });
    for (let n = 1; n <= 2; n += 1) await appendEvent(db.database, sale);
    await db.database.query(
      `insert into webhook_attempts select id, 1, now(), 1, 500, 'status' from webhook_deliveries`,
    );
    const oldest = '(select min(id) from webhook_deliveries)';
    await db.database.query(
      `update webhook_deliveries set created_at = now() - interval '31 days' where id = ${oldest}`,
    );
    expect(await deliveries.deleteOldest()).toBe(false);
    expect(await rows('select from webhook_deliveries')).toHaveLength(1);
    expect(await rows(attempted)).toHaveLength(1);
  });

  it('removes the endpoints of a deleted user with their deliveries', async () => {
    await insertEndpoint(db.database, { userId: 1, secrets: encryptedSecrets });
    await insertEndpoint(db.database, { userId: 2, secrets: encryptedSecrets });
    for (const userId of [1, 2]) await appendEvent(db.database, { ...sale, userId });
    await deliveries.deleteUserData(1);
    expect(await rows('select user_id from webhook_endpoints')).toEqual([{ user_id: 2 }]);
    expect(await rows('select from webhook_deliveries')).toHaveLength(1);
  });

  it('of an endpoint ends its deliveries at once, and removes their rows in batches', async () => {
    const endpointId = await insertEndpoint(db.database, { userId: 1, secrets: encryptedSecrets });
    const other = await insertEndpoint(db.database, { userId: 1, secrets: encryptedSecrets });
    await db.database.query(
      `with log as (
         insert into events (event_id, user_id, type, sequence, data, metadata, occurred_at)
         select gen_random_uuid(), 1, 'sale.recorded', 1, '{}', '{}', now() from generate_series(1, 5000) returning position
       )
       insert into webhook_deliveries (endpoint_id, position)
       select endpoint, position from log, unnest($1::bigint[]) endpoint where endpoint = $2 or position % 1000 = 0`,
      [[endpointId, other], endpointId],
    );
    await db.database.query(
      `insert into webhook_attempts select id, 1, now(), 1, 500, 'status', now() from webhook_deliveries`,
    );
    const endpoints = new EndpointRepository(db.database);
    await endpoints.delete({ viewerId: 1, endpointId });
    expect(await rows('select from webhook_deliveries')).toHaveLength(5_005);
    const claims = await deliveries.claim(limits, 100, 60_000);
    expect(claims).toHaveLength(5);
    await appendEvent(db.database, sale);
    expect(await rows(`select from webhook_deliveries where endpoint_id = ${endpointId}`)).toHaveLength(5_000);
    await expect(endpoints.delete({ viewerId: 1, endpointId })).rejects.toThrow(`${endpointId}`);
    expect(await deliveries.deleteOfDeletedEndpoints()).toBe(true);
    expect(await rows(`select from webhook_deliveries where endpoint_id = ${endpointId}`)).toHaveLength(4_000);
    await sweepEndpoints();
    expect(await rows<{ id: number }>('select id from webhook_endpoints')).toEqual([{ id: other }]);
    expect(await rows('select from webhook_deliveries')).toHaveLength(6);
    expect(await rows(attempted)).toHaveLength(5);
  });

  it('removes the endpoints of deleted applications', async () => {
    await insertEndpoint(db.database, { userId: 1, secrets: encryptedSecrets });
    await insertEndpoint(db.database, { userId: 1, applicationId: 7, secrets: encryptedSecrets });
    await sweepEndpoints();
    expect(await rows('select from webhook_endpoints')).toHaveLength(2);
    await db.database.query("update webhook_endpoints set created_at = now() - interval '2 days'");
    await sweepEndpoints();
    expect(await rows('select application_id from webhook_endpoints')).toEqual([{ application_id: null }]);
  });
});
