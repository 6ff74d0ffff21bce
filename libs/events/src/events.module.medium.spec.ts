import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Registry } from 'prom-client';
import { Database, PersistenceModule } from '#persistence';
import { eventually, testRedisUrl } from '#testing';
import { type ConsumerTable, on } from './consumer-table.js';
import { type Delivery } from './delivery.js';
import { EventsModule } from './events.module.js';
import { type EventsOptions } from './options.js';
import { appendEvent, insertOfEvent } from './outbox.js';
import { type EventDatabase, eventDatabase } from './testing/event-stack.js';

@Injectable()
class RecordingConsumer {
  readonly seen: string[] = [];
  started = 0;
  delayMs = 0;

  async record({
    event,
    once,
  }: Delivery<
    'favorite.placed' | 'material.rendered' | 'sale.recorded' | 'user.deleted' | 'webhook.disabled'
  >): Promise<void> {
    this.started += 1;
    await sleep(this.delayMs);
    await once(async (tx) => {
      await tx.query('insert into effects (event_id, note) values ($1, $2)', [event.id, event.name]);
    });
    this.seen.push(event.name);
  }
}

const consumers = {
  'favorite.placed': on(RecordingConsumer, 'record'),
  'material.rendered': on(RecordingConsumer, 'record'),
  'sale.recorded': on(RecordingConsumer, 'record'),
  'user.deleted': on(RecordingConsumer, 'record'),
  'webhook.disabled': on(RecordingConsumer, 'record'),
} satisfies ConsumerTable<'activity'>;

describe('EventsModule', () => {
  let activity: EventDatabase;
  let redisUrl: string;
  let apps: TestingModule[] = [];

  const compile = async (options: Partial<EventsOptions<'activity'>> = {}): Promise<TestingModule> => {
    const urls = { databaseUrl: activity.url, jobsUrl: redisUrl, requestsUrl: redisUrl };
    const events = { service: 'activity' as const, ...urls, consumers, registry: new Registry(), ...options };
    const app = await Test.createTestingModule({
      imports: [
        PersistenceModule.forService({ service: 'activity', url: activity.url, poolSize: 3, entities: [] }),
        EventsModule.forService(events),
      ],
      providers: [RecordingConsumer],
    }).compile();
    apps.push(app);
    return app;
  };

  beforeAll(async () => {
    Logger.overrideLogger(false);
    activity = await eventDatabase('activity');
    redisUrl = testRedisUrl();
  });

  afterEach(async () => {
    await Promise.all(apps.map((app) => app.close()));
    apps = [];
    await activity.owner('truncate outbox, inbox, effects');
  });

  afterAll(() => activity.close());

  it('delivers an event of a transaction to the consumer in the container', async () => {
    const app = await (await compile()).init();
    await activity.append('material.rendered', { materialId: 1, userId: 1, title: 't', images: 1 });
    const { seen } = app.get(RecordingConsumer);
    await eventually('it is consumed', () => seen.length > 0);
    expect(seen).toEqual(['material.rendered']);
    expect(await activity.count('effects')).toBe(1);
    // The consumer may finish before the relay deletes the row
    await eventually('the outbox is empty', async () => (await activity.count('outbox')) === 0);
  });

  it('wakes its relay on the commit of a transaction and of a statement', async () => {
    const registry = new Registry();
    const app = await (await compile({ sweepMs: 60_000, consume: false, prefix: 'woken', registry })).init();
    // The first round has ended, and the next sweep would be too late for this test
    await eventually('the relay is idle', async () =>
      (await registry.getSingleMetricAsString('outbox_oldest_seconds')).includes('activity'),
    );
    const database = app.get(Database, { strict: false });
    const rendered = { materialId: 1, userId: 1, title: 't', images: 1 };
    await database.transaction((tx) => appendEvent(tx, 'material.rendered', rendered));
    await eventually('the outbox is empty', async () => (await activity.count('outbox')) === 0);
    const payload = { materialId: '1', userId: '1', title: `'t'`, images: '1' };
    const insert = insertOfEvent('material.rendered', { payload, metadata: '$1', from: '(select 1) as one' });
    await database.write(insert, ['{}']);
    await eventually('the outbox is empty again', async () => (await activity.count('outbox')) === 0);
  });

  it('can run the relay without the worker and the worker without the relay', async () => {
    const requests = await (await compile({ consume: false })).init();
    const workers = await (await compile({ relay: false })).init();
    await activity.append('material.rendered', { materialId: 1, userId: 1, title: 't', images: 1 });
    await eventually('it is consumed', () => workers.get(RecordingConsumer).seen.length > 0);
    expect(requests.get(RecordingConsumer).seen).toEqual([]);
  });

  it('isolates stacks with different prefixes', async () => {
    const other = await (await compile({ relay: false, prefix: 'other' })).init();
    const own = await (await compile({ prefix: 'own' })).init();
    await activity.append('material.rendered', { materialId: 1, userId: 1, title: 't', images: 1 });
    await eventually('it is consumed', () => own.get(RecordingConsumer).seen.length > 0);
    expect(other.get(RecordingConsumer).seen).toEqual([]);
  });

  it('rejects a missing or superfluous consumer with the entry to add or remove', async () => {
    const { 'material.rendered': entry, ...others } = consumers;
    const missing = others as unknown as ConsumerTable<'activity'>;
    await expect(compile({ consumers: missing })).rejects.toThrow("add 'material.rendered': on(ConsumerClass");
    const superfluous = { ...consumers, 'material.deleted': entry };
    await expect(compile({ consumers: superfluous })).rejects.toThrow("remove 'material.deleted'");
    const without = { service: 'social' as const, databaseUrl: '', jobsUrl: '', requestsUrl: '' };
    // @ts-expect-error a service with subscriptions needs a table
    EventsModule.forService(without);
  });

  it('waits for running consumers before the database disconnects', async () => {
    const app = await (await compile()).init();
    const consumer = app.get(RecordingConsumer);
    consumer.delayMs = 500;
    await activity.append('material.rendered', { materialId: 1, userId: 1, title: 't', images: 1 });
    await eventually('the consumer runs', () => consumer.started > 0);
    await app.close();
    apps = [];
    expect(consumer.seen).toEqual(['material.rendered']);
    expect(await activity.count('effects')).toBe(1);
  });
});
