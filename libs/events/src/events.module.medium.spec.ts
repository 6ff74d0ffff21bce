import { Injectable, Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Registry } from 'prom-client';
import { PersistenceModule } from '#persistence';
import { eventually, testRedisUrl } from '#testing';
import { type ConsumerTable, on } from './consumer-table.js';
import { type Delivery } from './delivery.js';
import { EventsModule } from './events.module.js';
import { type EventsOptions } from './options.js';
import { type EventDatabase, eventDatabase } from './testing/event-stack.js';

@Injectable()
class NoticeConsumer {
  readonly seen: string[] = [];

  async noted({ event, once }: Delivery<'favorite.placed' | 'material.rendered'>): Promise<void> {
    await once(async (tx) => {
      await tx.query('insert into effects (event_id, note) values ($1, $2)', [event.id, event.name]);
    });
    this.seen.push(event.name);
  }
}

const consumers = {
  'favorite.placed': on(NoticeConsumer, 'noted'),
  'material.rendered': on(NoticeConsumer, 'noted'),
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
    await activity.append('material.rendered', { materialId: 1, userId: 1, title: 't', pictures: 1 });
    const { seen } = app.get(NoticeConsumer);
    await eventually('it is consumed', () => seen.length > 0);
    expect(seen).toEqual(['material.rendered']);
    expect([await activity.count('effects'), await activity.count('outbox')]).toEqual([1, 0]);
  });

  it('reads its outbox without consuming, and consumes without reading its outbox', async () => {
    const requests = await (await compile({ consume: false })).init();
    const workers = await (await compile({ relay: false })).init();
    await activity.append('material.rendered', { materialId: 1, userId: 1, title: 't', pictures: 1 });
    await eventually('it is consumed', () => workers.get(NoticeConsumer).seen.length > 0);
    expect(requests.get(NoticeConsumer).seen).toEqual([]);
  });

  it('keeps stacks with different prefixes apart', async () => {
    const other = await (await compile({ relay: false, prefix: 'other' })).init();
    const own = await (await compile({ prefix: 'own' })).init();
    await activity.append('material.rendered', { materialId: 1, userId: 1, title: 't', pictures: 1 });
    await eventually('it is consumed', () => own.get(NoticeConsumer).seen.length > 0);
    expect(other.get(NoticeConsumer).seen).toEqual([]);
  });

  it('does not start when a consumer is missing or superfluous, and says what to do', async () => {
    const { 'favorite.placed': placed } = consumers;
    const missing = { 'favorite.placed': placed } as unknown as ConsumerTable<'activity'>;
    await expect(compile({ consumers: missing })).rejects.toThrow("add 'material.rendered': on(ConsumerClass");
    const superfluous = { ...consumers, 'material.deleted': placed };
    await expect(compile({ consumers: superfluous })).rejects.toThrow("remove 'material.deleted'");
    const without = { service: 'social' as const, databaseUrl: '', jobsUrl: '', requestsUrl: '' };
    // @ts-expect-error a service with subscriptions has to give a table
    EventsModule.forService(without);
    EventsModule.forService({ ...without, service: 'accounts' });
  });

  it('stops its consumers before the database disconnects', async () => {
    const app = await (await compile()).init();
    await activity.append('material.rendered', { materialId: 1, userId: 1, title: 't', pictures: 1 });
    await app.close();
    apps = [];
    // Either the consumer had it, with its effect, or it waits in the queue for the next start
    const next = await (await compile()).init();
    await eventually('there is the effect', async () => (await activity.count('effects')) === 1);
    expect(next.get(NoticeConsumer).seen.length + app.get(NoticeConsumer).seen.length).toBe(1);
  });
});
