import { problems, type ReplyOf, type Services } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import type { RawReply } from '#request-queue';
import { testDatabase, type TestDatabase } from '#testing';
import { DeliveryLogQueries } from './delivery-log.queries.js';
import { ReplayRepository } from './replay.repository.js';
import { ReplayService } from './replay.service.js';

type Messages = Services['webhooks'];

const [owner, stranger, unknown] = [1, 2, 999];
const page = { limit: 20, offset: 0 };

let db: TestDatabase;
let queries: DeliveryLogQueries;
let service: ReplayService;
let endpointId: number;

beforeAll(async () => {
  db = await testDatabase('webhooks');
  queries = new DeliveryLogQueries(db.database);
  service = new ReplayService(new ReplayRepository(db.database), queries, new IdempotencyKeys(db.database));
});
afterAll(() => db.close());
beforeEach(async () => {
  for (const table of ['webhook_endpoints', 'events', 'idempotency_keys'])
    await db.database.query(`delete from ${table}`);
  endpointId = await addEndpoint(owner);
});

const addEndpoint = async (userId: number): Promise<number> => {
  const [row] = await db.database.query<{ id: number }>(
    `insert into webhook_endpoints (user_id, url, description, secrets)
     values ($1, 'https://example.com/', '', '[{"encrypted": "x", "expiresAt": null}]') returning id`,
    [userId],
  );
  return row!.id;
};
/** Adds a delivery that is not pending, at a time, with attempts of which only the last decides. */
const addDelivery = async (
  status: string,
  { at = '2026-11-20T09:00:00Z', endpoint = endpointId, attempts = 0 } = {},
) => {
  const [row] = await db.database.query<{ id: number }>(
    `with event as (
       insert into events (event_id, user_id, type, sequence, data, metadata, occurred_at)
       values (gen_random_uuid(), $2, 'sale.recorded', 1, '{"productId": 1}', '{}', now()) returning position
     )
     insert into webhook_deliveries (endpoint_id, position, status, attempts, schedule_step, next_attempt_at, created_at)
     select $1, position, $3, $5, $5, case when $3 = 'pending' then now() end, $4 from event returning id`,
    [endpoint, owner, status, at, attempts],
  );
  for (let number = 1; number <= attempts; number++)
    await db.database.query(
      `insert into webhook_attempts values ($1, $2, '2026-11-20T09:00:01.250Z', 120, $3, $4, '2026-11-20T09:05:00Z')`,
      [row!.id, number, ...(number === attempts && status === 'succeeded' ? [204, null] : [503, 'status'])],
    );
  return row!.id;
};
const list = async (more: object = {}, viewerId = owner, endpoint = endpointId) => {
  const reply = await queries.list({ viewerId, endpointId: endpoint, ...page, ...more });
  return JSON.parse(reply.body.toString()) as ReplyOf<Messages, 'webhook-deliveries.list'>;
};
const deliveryOf = ({ body }: RawReply) =>
  (JSON.parse(body.toString()) as ReplyOf<Messages, 'webhook-deliveries.replay'>).webhookDelivery;
const replay = async (deliveryId: number, viewerId = owner) =>
  deliveryOf(await service.replay({ viewerId, endpointId, deliveryId }));
const replayFailed = async (since: string) => {
  const { body } = await service.replayFailed({ viewerId: owner, endpointId, since });
  return (JSON.parse(body.toString()) as ReplyOf<Messages, 'webhook-deliveries.replay-failed'>).replayed;
};
const test = async (viewerId = owner) => deliveryOf(await service.test({ viewerId, endpointId }));
const setStatus = (status: string, reason: string | null = null) =>
  db.database.query('update webhook_endpoints set status = $1, disabled_reason = $2', [status, reason]);
const kind = (code: keyof typeof problems) => ({ kind: problems[code] });

describe('the deliveries of an endpoint', () => {
  it('are not listed, replayed or tested after its deletion', async () => {
    const deliveryId = await addDelivery('failed');
    await db.database.query("update webhook_endpoints set status = 'paused', deleted_at = now()");
    const calls = [list, () => replay(deliveryId), () => replayFailed('2026-11-01T00:00:00Z'), test];
    for (const call of calls) await expect(call()).rejects.toMatchObject(kind('webhook-endpoint.not-found'));
  });

  it('are listed newest first, with their attempts, oldest first', async () => {
    const older = await addDelivery('failed', { attempts: 2 });
    const newer = await addDelivery('pending');
    const { webhookDeliveries, meta } = await list();
    expect(meta).toEqual({ hasNext: false });
    expect(webhookDeliveries.map(({ id }) => id)).toEqual([newer, older]);
    expect(webhookDeliveries[1]).toEqual({
      id: older,
      eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'sale.recorded',
      status: 'failed',
      createdAt: '2026-11-20T09:00:00.000Z',
      nextAttemptAt: null,
      attempts: [1, 2].map((number) => ({
        number,
        startedAt: '2026-11-20T09:00:01.250Z',
        durationMs: 120,
        statusCode: 503,
        error: 'status',
        nextAttemptAt: '2026-11-20T09:05:00.000Z',
      })),
    });
    expect(webhookDeliveries[0]).toMatchObject({ nextAttemptAt: expect.any(String), attempts: [] });
  });

  it('are listed by status and in pages', async () => {
    const failed = await addDelivery('failed');
    for (const status of ['succeeded', 'pending', 'cancelled']) await addDelivery(status);
    expect((await list({ status: 'failed' })).webhookDeliveries.map(({ id }) => id)).toEqual([failed]);
    const first = await list({ limit: 3 });
    expect([first.webhookDeliveries.length, first.meta.hasNext]).toEqual([3, true]);
    const last = await list({ limit: 3, offset: 3 });
    expect([last.webhookDeliveries.map(({ id }) => id), last.meta.hasNext]).toEqual([[failed], false]);
  });

  it('are empty for a new endpoint, and unknown for other users', async () => {
    expect((await list()).webhookDeliveries).toEqual([]);
    await expect(list({}, stranger)).rejects.toMatchObject(kind('webhook-endpoint.not-found'));
    await expect(list({}, owner, unknown)).rejects.toMatchObject(kind('webhook-endpoint.not-found'));
  });
});

describe('a test', () => {
  it('is an event in the log of the owner that only this endpoint receives', async () => {
    const other = await addEndpoint(owner);
    const delivery = await test();
    expect(delivery).toMatchObject({ type: 'webhook.test', status: 'pending', attempts: [] });
    expect((await list()).webhookDeliveries).toEqual([delivery]);
    expect((await list({}, owner, other)).webhookDeliveries).toEqual([]);
    expect(await db.database.query('select event_id, user_id, data, sequence from events')).toEqual([
      { event_id: delivery.eventId, user_id: owner, data: { endpointId }, sequence: 1 },
    ]);
  });

  it('is rejected for an endpoint that is not enabled or belongs to another user', async () => {
    await expect(test(stranger)).rejects.toMatchObject(kind('webhook-endpoint.not-found'));
    await setStatus('paused');
    await expect(test()).rejects.toMatchObject(kind('webhook-endpoint.not-enabled'));
    await setStatus('disabled', 'status-410');
    await expect(test()).rejects.toMatchObject(kind('webhook-endpoint.not-enabled'));
    expect(await db.database.query('select from events')).toEqual([]);
  });

  it('is delivered once with an idempotency key', async () => {
    const request = { viewerId: owner, endpointId, idempotency: { key: 'a', fingerprint: '0'.repeat(64) } };
    const first = deliveryOf(await service.test(request));
    expect(deliveryOf(await service.test(request))).toEqual(first);
    expect(await db.database.query('select from events')).toHaveLength(1);
  });
});

describe('a replay', () => {
  it.each(['failed', 'succeeded', 'cancelled'])('restarts the schedule of a delivery that has %s', async (status) => {
    const id = await addDelivery(status, { attempts: 3 });
    const { attempts, ...delivery } = await replay(id);
    expect(delivery).toMatchObject({ id, status: 'pending', nextAttemptAt: expect.any(String) });
    expect(attempts).toHaveLength(3);
    const rows = await db.database.query('select attempts, schedule_step from webhook_deliveries');
    expect(rows).toEqual([{ attempts: 3, schedule_step: 0 }]);
  });

  it('is rejected for a pending delivery, whose schedule does not change', async () => {
    const id = await addDelivery('pending');
    const before = await list();
    await expect(replay(id)).rejects.toMatchObject(kind('webhook-delivery.pending'));
    expect(await list()).toEqual(before);
  });

  it('is rejected for an unknown delivery, and for one of another endpoint', async () => {
    const foreign = await addDelivery('failed', { endpoint: await addEndpoint(stranger) });
    for (const id of [unknown, foreign])
      await expect(replay(id)).rejects.toMatchObject(kind('webhook-delivery.not-found'));
    expect((await list({}, stranger, endpointId + 1)).webhookDeliveries[0]).toMatchObject({ status: 'failed' });
  });

  it('is rejected for an endpoint that is not enabled or belongs to another user', async () => {
    const id = await addDelivery('failed');
    await expect(replay(id, stranger)).rejects.toMatchObject(kind('webhook-endpoint.not-found'));
    await setStatus('paused');
    await expect(replay(id)).rejects.toMatchObject(kind('webhook-endpoint.not-enabled'));
    await expect(replayFailed('2026-11-01T00:00:00Z')).rejects.toMatchObject(kind('webhook-endpoint.not-enabled'));
  });

  it('of all failed deliveries omits older, succeeded and cancelled ones and those of other endpoints', async () => {
    const other = await addEndpoint(owner);
    const expected = [await addDelivery('failed', { at: '2026-11-20T00:00:00Z' }), await addDelivery('failed')];
    await addDelivery('failed', { at: '2026-11-19T23:59:59Z' });
    await addDelivery('succeeded');
    await addDelivery('cancelled');
    await addDelivery('failed', { endpoint: other });
    expect(await replayFailed('2026-11-20T09:00:00+09:00')).toBe(2);
    const pending = (await list({ status: 'pending' })).webhookDeliveries.map(({ id }) => id);
    expect(pending).toEqual(expected.reverse());
    expect((await list({ status: 'failed' }, owner, other)).webhookDeliveries).toHaveLength(1);
  });

  it('of all failed deliveries includes those that wait for a retry, and no attempt in progress', async () => {
    const waiting = await addDelivery('pending', { attempts: 2 });
    const claimed = await addDelivery('pending', { attempts: 2 });
    await addDelivery('pending');
    const later = "now() + interval '1 hour'";
    await db.database.query(`update webhook_deliveries set next_attempt_at = ${later}`);
    await db.database.query(`update webhook_deliveries set claimed_until = ${later} where id = ${claimed}`);
    expect(await replayFailed('2026-11-20T00:00:00Z')).toBe(1);
    const due = 'select id, attempts, schedule_step from webhook_deliveries where next_attempt_at <= now()';
    expect(await db.database.query(due)).toEqual([{ id: waiting, attempts: 2, schedule_step: 0 }]);
  });

  it('of all failed deliveries does not wait for one that another transaction has locked', async () => {
    const [locked] = [await addDelivery('failed'), await addDelivery('failed')];
    await db.database.transaction(async (tx) => {
      await tx.query(`select from webhook_deliveries where id = ${locked} for update`);
      expect(await replayFailed('2026-11-20T00:00:00Z')).toBe(1);
    });
  });

  describe('of 2,500 failed deliveries', () => {
    const since = '2026-11-20T00:00:00Z';
    beforeEach(() =>
      db.database.query(
        `with log as (
           insert into events (event_id, user_id, type, sequence, data, metadata, occurred_at)
           select gen_random_uuid(), 1, 'sale.recorded', 1, '{}', '{}', now() from generate_series(1, 2500) returning position
         )
         insert into webhook_deliveries (endpoint_id, position, status, attempts, schedule_step, next_attempt_at)
         select $1, position, 'failed', 10, 10, null from log`,
        [endpointId],
      ),
    );

    it('restarts each once, in transactions of at most 1,000', async () => {
      expect(await replayFailed(since)).toBe(2_500);
      const batches = await db.database.query<{ size: number }>(
        "select count(*) as size from webhook_deliveries where status = 'pending' group by xmin order by 1 desc",
      );
      expect(batches.map(({ size }) => size)).toEqual([1_000, 1_000, 500]);
    });

    it('retains the batches before a failure, and restarts the others when it is repeated', async () => {
      const failure = new Error('after the last batch');
      const target = { viewerId: owner, endpointId };
      const failing = new ReplayRepository(db.database).replayFailed(target, new Date(since), () => {
        throw failure;
      });
      await expect(failing).rejects.toBe(failure);
      expect(await replayFailed(since)).toBe(500);
      expect(await replayFailed(since)).toBe(0);
    });
  });
});
