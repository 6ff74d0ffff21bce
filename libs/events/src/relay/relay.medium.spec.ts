import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { deferred } from '#concurrency';
import { subscriptions } from '#contracts';
import { type RunningRedis, startRedis } from '#dev-stack';
import { BroadcastListener, runInCall } from '#request-queue';
import { eventually, testRedisUrl } from '#testing';
import { type RelayOptions } from '../options.js';
import { appendEvent } from '../outbox.js';
import { OutboxReader } from '../outbox-reader.js';
import { Relay } from './relay.js';
import { type EventDatabase, eventDatabase, QueueView } from '../testing/event-stack.js';

const deleted = { materialId: 7, userId: 1, productIds: [1, 2], filePath: '7/1.png', textures: [] };
const created = (materialId: number) => ({ materialId, userId: 1, title: '東京' });

describe('Relay', () => {
  let catalog: EventDatabase;
  let redisUrl: string;
  let rendering: QueueView;
  let social: QueueView;
  let webhooks: QueueView;
  let relays: Relay[] = [];

  const startRelay = (options: Partial<RelayOptions> = {}, woken = true): Registry => {
    const registry = new Registry();
    const urls = { databaseUrl: catalog.url, jobsUrl: redisUrl, requestsUrl: redisUrl };
    // Woken by commits only, unless a test needs the sweep
    const relay = new Relay({ service: 'catalog', ...urls, sweepMs: 60_000, registry, ...options });
    relay.start();
    relays.push(relay);
    if (woken) catalog.database.onCommit(() => relay.wake());
    return registry;
  };

  const readerOf = (options: { leaseMs?: number; batch?: number } = {}): OutboxReader =>
    new OutboxReader({
      service: 'catalog',
      databaseUrl: catalog.url,
      leaseMs: 30_000,
      batch: 20,
      onLost: () => undefined,
      ...options,
    });

  const published = async (registry: Registry): Promise<number> =>
    ((await registry.getSingleMetric('events_published_total')?.get())?.values ?? []).reduce(
      (sum, { value }) => sum + value,
      0,
    );

  /** Waits until the first round has ended. */
  const idle = (registry: Registry): Promise<boolean> =>
    eventually('the relay is idle', async () =>
      (await registry.getSingleMetricAsString('outbox_oldest_seconds')).includes('catalog'),
    );

  beforeAll(async () => {
    Logger.overrideLogger(false);
    catalog = await eventDatabase('catalog');
    redisUrl = testRedisUrl();
    rendering = new QueueView(redisUrl, 'material-rendering');
    social = new QueueView(redisUrl, 'social');
    webhooks = new QueueView(redisUrl, 'webhooks');
  });

  afterEach(async () => {
    await Promise.all(relays.map((relay) => relay.close()));
    relays = [];
    await catalog.owner('truncate outbox');
    await Promise.all([rendering.empty(), social.empty()]);
  });

  afterAll(async () => {
    await Promise.all([rendering.close(), social.close(), webhooks.close()]);
    await catalog.close();
  });

  it('does not publish events of a rolled-back transaction', async () => {
    startRelay();
    const rolledBack = catalog.database.transaction(async (tx) => {
      await appendEvent(tx, 'material.created', created(1));
      throw new Error('rollback');
    });
    await expect(rolledBack).rejects.toThrow('rollback');
    await catalog.append('material.created', created(2));
    await eventually('the other event is published', async () => (await rendering.queue.count()) > 0);
    const jobs = await rendering.waiting();
    expect(jobs.map((job) => job.data.payload.materialId)).toEqual([2]);
  });

  it('publishes an event to the queue of each subscriber and deletes the row', async () => {
    startRelay();
    await catalog.append('material.deleted', deleted);
    await eventually('the outbox is empty', async () => (await catalog.count('outbox')) === 0);
    for (const view of [rendering, social]) {
      const [job] = await view.waiting();
      expect(job).toMatchObject({ name: 'material.deleted', data: { version: 1, payload: deleted, metadata: {} } });
      expect(job!.id).toBe(job!.data.id);
      expect(new Date(job!.data.occurredAt).getTime()).toBeGreaterThan(Date.now() - 60_000);
      expect(job!.opts).toMatchObject({ attempts: 8, backoff: { type: 'exponential' } });
    }
  });

  it('preserves the order in which events were written', async () => {
    for (let id = 1; id <= 250; id += 1) await catalog.append('material.created', created(id));
    startRelay();
    await eventually('the outbox is empty', async () => (await catalog.count('outbox')) === 0);
    const jobs = await rendering.waiting();
    expect(jobs.map((job) => job.data.payload.materialId)).toEqual(
      Array.from({ length: 250 }, (_, index) => index + 1),
    );
  });

  it('broadcasts an event with the subscriber everyone', async () => {
    const listener = new BroadcastListener({ redisUrl, registry: new Registry() });
    const received: unknown[] = [];
    listener.on('token.revoked', (event) => received.push(event.payload));
    await listener.start();
    startRelay();
    await catalog.append('token.revoked', { tokenHash: 'abc' });
    await eventually('the broadcast is received', () => received.length > 0);
    listener.close();
    expect(received).toEqual([{ tokenHash: 'abc' }]);
    await eventually('the outbox is empty', async () => (await catalog.count('outbox')) === 0);
  });

  it('does not write an event without subscribers, and rejects an invalid payload', async () => {
    await catalog.append('user.created', { userId: 1, name: 'a' });
    await expect(catalog.append('material.created', { ...created(1), userId: 1.5 })).rejects.toThrow('userId');
    expect(await catalog.count('outbox')).toBe(0);
  });

  it('stores request id and trace context of the running handler in the event', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await runInCall({ requestId: 'r-1', traceparent }, () => catalog.append('material.created', created(1)));
    expect(await catalog.owner('select metadata from outbox')).toEqual([
      { metadata: { requestId: 'r-1', traceparent } },
    ]);
  });

  it('claims each row once for two concurrent relays', async () => {
    for (let id = 1; id <= 40; id += 1) await catalog.append('material.created', created(id));
    const readers = [readerOf(), readerOf()];
    const [one, two] = await Promise.all(readers.map((reader) => reader.claim()));
    const ids = [...one!, ...two!].map(({ id }) => id);
    expect(one).toHaveLength(20);
    expect(new Set(ids).size).toBe(40);
    expect(await readers[0]!.claim()).toEqual([]);
    await Promise.all(readers.map((reader) => reader.close()));
  });

  it('skips rows that another relay is claiming', async () => {
    for (let id = 1; id <= 4; id += 1) await catalog.append('material.created', created(id));
    const reader = readerOf({ batch: 2 });
    await catalog.database.transaction(async (tx) => {
      await tx.query('select from outbox order by seq limit 2 for update');
      const claimed = await reader.claim();
      expect(claimed.map(({ payload }) => payload)).toEqual([created(3), created(4)]);
    });
    await reader.close();
  });

  it('publishes each row once when two relays run', async () => {
    const registries = [startRelay({ batch: 7 }), startRelay({ batch: 7 })];
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => catalog.append('material.created', created(index + 1))),
    );
    await eventually('the outbox is empty', async () => (await catalog.count('outbox')) === 0);
    const counts = await Promise.all(registries.map(published));
    expect(counts[0]! + counts[1]!).toBe(100 * subscriptions['material.created'].length);
    expect(await rendering.queue.count()).toBe(100);
  });

  it('takes over the rows of a crashed relay', async () => {
    await catalog.append('material.created', created(1));
    const crashing = readerOf({ leaseMs: 300 });
    await crashing.claim();
    await crashing.close();
    startRelay({ sweepMs: 100 });
    await eventually('the outbox is empty', async () => (await catalog.count('outbox')) === 0);
    expect(await rendering.queue.count()).toBe(1);
  });

  it('finds events in its sweep without being woken', async () => {
    await idle(startRelay({ sweepMs: 100 }, false));
    await catalog.append('material.created', created(1));
    await eventually('the outbox is empty', async () => (await catalog.count('outbox')) === 0);
  });

  it('publishes the events written during a round as one batch', async () => {
    const registry = startRelay();
    await idle(registry);
    const { promise: written, resolve: release } = deferred();
    const claims = jest.spyOn(OutboxReader.prototype, 'claim').mockImplementationOnce(async function (
      this: OutboxReader,
    ) {
      // The mock applies once, so this is the original method
      const first = await OutboxReader.prototype.claim.call(this);
      await written;
      return first;
    });
    try {
      await catalog.append('material.created', created(0));
      await eventually('the round has started', () => Promise.resolve(claims.mock.calls.length > 0));
      for (let n = 1; n < 50; n++) await catalog.append('material.created', created(n));
      release();
      await eventually('the outbox is empty', async () => (await catalog.count('outbox')) === 0);
      // The mocked claim and the original claim in it, the claim of the batch, and at most two
      // empty claims
      expect(claims.mock.calls.length).toBeLessThanOrEqual(5);
    } finally {
      release();
      claims.mockRestore();
    }
  });

  it('publishes events that are consumed in batches at most ten times a second, except for the first', async () => {
    await idle(startRelay());
    const claims = jest.spyOn(OutboxReader.prototype, 'claim');
    try {
      const startedAt = performance.now();
      for (let n = 0; n < 40; n += 1) {
        await catalog.append('choice.updated', { choiceId: 1, userId: 1, changed: ['title'], revision: n + 1 });
        await sleep(10);
      }
      await eventually('the outbox is empty', async () => (await catalog.count('outbox')) === 0);
      // With the first round and one that has begun; at least 20 without a pause for batches
      expect(claims.mock.calls.length).toBeLessThanOrEqual((performance.now() - startedAt) / 100 + 2);
    } finally {
      claims.mockRestore();
      await webhooks.empty();
    }
  });

  it('reconnects when PostgreSQL terminates its connection, and is woken again', async () => {
    startRelay();
    await catalog.append('material.created', created(1));
    await eventually('the first event is published', async () => (await catalog.count('outbox')) === 0);
    const terminate = `select pg_terminate_backend(pid) from pg_stat_activity
                 where application_name = 'storefront-catalog-relay' and datname = current_database()`;
    // May include the closing connection of a previous relay
    expect(await catalog.owner(terminate)).not.toEqual([]);
    await catalog.append('material.created', created(2));
    await eventually('the second event is published', async () => (await catalog.count('outbox')) === 0);
    await catalog.append('material.created', created(3));
    await eventually('the third event is published', async () => (await catalog.count('outbox')) === 0);
    expect(await rendering.queue.count()).toBe(3);
  });

  it('publishes other events beside an event of a newer version, which stays in the outbox', async () => {
    startRelay();
    await catalog.owner(
      `insert into outbox (id, name, version, payload) values (gen_random_uuid(), 'material.folded', 1, '{}')`,
    );
    await catalog.append('material.created', created(2));
    await eventually('the known event is published', async () => (await catalog.count('outbox')) === 1);
    expect(await rendering.queue.count()).toBe(1);
    expect(await catalog.owner('select name from outbox')).toEqual([{ name: 'material.folded' }]);
  });

  it('publishes events of the last requests when it closes', async () => {
    await idle(startRelay({}, false));
    await catalog.append('material.created', created(1));
    await relays[0]!.close();
    expect(await catalog.count('outbox')).toBe(0);
  });

  it('deletes inbox rows older than 30 days', async () => {
    await catalog.owner(
      `insert into inbox
       select gen_random_uuid(), now() - interval '31 days' from generate_series(1, 10001) union all select gen_random_uuid(), now()`,
    );
    const reader = readerOf();
    expect([await reader.pruneInbox(30), await reader.pruneInbox(30)]).toEqual([true, false]);
    await reader.close();
    expect(await catalog.count('inbox')).toBe(1);
  });

  describe('with a separate Redis', () => {
    let folder: string;
    let redis: RunningRedis;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'events-redis-'));
      redis = await startRedis({ dataDir: folder, appendOnly: true });
    });

    afterAll(async () => {
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    });

    it('loses no event while Redis is unavailable, and reports the lag', async () => {
      const urls = { jobsUrl: redis.url, requestsUrl: redis.url };
      const registry = startRelay(urls);
      await catalog.append('material.created', created(1));
      await eventually('the first event is published', async () => (await catalog.count('outbox')) === 0);
      await redis.stop();
      for (let id = 2; id <= 6; id += 1) await catalog.append('material.created', created(id));
      const failures = async () =>
        (await registry.getSingleMetric('outbox_relay_failures_total')!.get()).values[0]?.value ?? 0;
      await eventually('the relay has failed', async () => (await failures()) >= 3);
      expect(await catalog.count('outbox')).toBe(5);
      const lag = async () => (await registry.getSingleMetric('outbox_oldest_seconds')!.get()).values[0]!.value;
      await eventually('the lag is reported', async () => (await lag()) > 0.5);
      // A relay that starts now retries, too
      startRelay(urls);
      redis = await startRedis({ dataDir: folder, appendOnly: true, port: redis.port });
      await eventually('the outbox is empty', async () => (await catalog.count('outbox')) === 0);
      const view = new QueueView(redis.url, 'material-rendering');
      const jobs = await view.waiting();
      expect(jobs.map((job) => job.data.payload.materialId).toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
      await view.close();
    });
  });
});
