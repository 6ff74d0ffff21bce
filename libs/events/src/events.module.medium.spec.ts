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
class NoticeConsumer {
  readonly seen: string[] = [];
  started = 0;
  thinkMs = 0;

  async noted({
    event,
    once,
  }: Delivery<'favorite.placed' | 'material.rendered' | 'sale.recorded' | 'user.deleted'>): Promise<void> {
    this.started += 1;
    await sleep(this.thinkMs);
    await once(async (tx) => {
      await tx.query('insert into effects (event_id, note) values ($1, $2)', [event.id, event.name]);
    });
    this.seen.push(event.name);
  }
}

const consumers = {
  'favorite.placed': on(NoticeConsumer, 'noted'),
  'material.rendered': on(NoticeConsumer, 'noted'),
  'sale.recorded': on(NoticeConsumer, 'noted'),
  'user.deleted': on(NoticeConsumer, 'noted'),
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
      providers: [NoticeConsumer],
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

  it('carries an event from a transaction to the consumer that Nest has made', async () => {
    const app = await (await compile()).init();
    await activity.append('material.rendered', { materialId: 1, userId: 1, title: 't', images: 1 });
    const { seen } = app.get(NoticeConsumer);
    await eventually('it is consumed', () => seen.length > 0);
    expect(seen).toEqual(['material.rendered']);
    expect(await activity.count('effects')).toBe(1);
    // The relay hears of the end of its publishing when the consumer may be done already
    await eventually('the outbox is empty', async () => (await activity.count('outbox')) === 0);
  });

  it('is woken by the commit of its process, of a transaction and of a statement', async () => {
    const registry = new Registry();
    const app = await (await compile({ sweepMs: 60_000, consume: false, prefix: 'woken', registry })).init();
    // Its first look is over, and the next one would be too late for this test
    await eventually('the relay is idle', async () =>
      (await registry.getSingleMetricAsString('outbox_oldest_seconds')).includes('activity'),
    );
    const database = app.get(Database, { strict: false });
    const rendered = { materialId: 1, userId: 1, title: 't', images: 1 };
    await database.transaction((tx) => appendEvent(tx, 'material.rendered', rendered));
    await eventually('the outbox is empty', async () => (await activity.count('outbox')) === 0);
    const payload = { materialId: '1', userId: '1', title: `'t'`, images: '1' };
    const tell = insertOfEvent('material.rendered', { payload, metadata: '$1', from: '(select 1) as one' });
    await database.write(tell, ['{}']);
    await eventually('the outbox is empty again', async () => (await activity.count('outbox')) === 0);
  });

  it('reads its outbox without consuming, and consumes without reading its outbox', async () => {
    const requests = await (await compile({ consume: false })).init();
    const workers = await (await compile({ relay: false })).init();
    await activity.append('material.rendered', { materialId: 1, userId: 1, title: 't', images: 1 });
    await eventually('it is consumed', () => workers.get(NoticeConsumer).seen.length > 0);
    expect(requests.get(NoticeConsumer).seen).toEqual([]);
  });

  it('keeps stacks with different prefixes apart', async () => {
    const other = await (await compile({ relay: false, prefix: 'other' })).init();
    const own = await (await compile({ prefix: 'own' })).init();
    await activity.append('material.rendered', { materialId: 1, userId: 1, title: 't', images: 1 });
    await eventually('it is consumed', () => own.get(NoticeConsumer).seen.length > 0);
    expect(other.get(NoticeConsumer).seen).toEqual([]);
  });

  it('does not start when a consumer is missing or superfluous, and says what to do', async () => {
    const { 'material.rendered': noted, ...others } = consumers;
    const missing = others as unknown as ConsumerTable<'activity'>;
    await expect(compile({ consumers: missing })).rejects.toThrow("add 'material.rendered': on(ConsumerClass");
    const superfluous = { ...consumers, 'material.deleted': noted };
    await expect(compile({ consumers: superfluous })).rejects.toThrow("remove 'material.deleted'");
    const without = { service: 'social' as const, databaseUrl: '', jobsUrl: '', requestsUrl: '' };
    // @ts-expect-error a service with subscriptions has to give a table
    EventsModule.forService(without);
    EventsModule.forService({ ...without, service: 'accounts' });
  });

  it('lets its consumers finish before the database disconnects', async () => {
    const app = await (await compile()).init();
    const consumer = app.get(NoticeConsumer);
    consumer.thinkMs = 500;
    await activity.append('material.rendered', { materialId: 1, userId: 1, title: 't', images: 1 });
    await eventually('the consumer runs', () => consumer.started > 0);
    await app.close();
    apps = [];
    expect(consumer.seen).toEqual(['material.rendered']);
    expect(await activity.count('effects')).toBe(1);
  });
});
