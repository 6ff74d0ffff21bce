import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { type EventEnvelope, type EventName, problems } from '#contracts';
import { DomainError } from '#kernel';
import { Database, serviceDataSource } from '#persistence';
import { eventually, testRedisUrl } from '#testing';
import { eventsOfBatch, jobsOf } from './batch.js';
import { type Delivery } from './delivery.js';
import { jobOptions } from './event-queue.js';
import { EventWorker } from './event-worker.js';
import { type EventDatabase, eventDatabase, QueueView } from './testing/event-stack.js';

const rendered = (materialId: number): EventEnvelope<'material.rendered'> => ({
  id: randomUUID(),
  name: 'material.rendered',
  version: 1,
  occurredAt: new Date().toISOString(),
  payload: { materialId, userId: 1, title: '東京', images: 3 },
  metadata: {},
});

const placed = (productId: number): EventEnvelope<'favorite.placed'> => ({
  ...rendered(1),
  id: randomUUID(),
  name: 'favorite.placed',
  payload: { favoriteId: 1, productId, productTitle: '東京', ownerId: 1, userId: 2, anonymous: false, count: 1 },
});

const outage = () => new DomainError(problems['service.unavailable'], 'The blob store is unavailable.');

describe('an outage of a dependency', () => {
  const role = `locked_${randomUUID().slice(0, 8)}`;
  let activity: EventDatabase;
  let own: Database;
  const redisUrl = testRedisUrl();
  let view: QueueView;
  let worker: EventWorker | undefined;
  let registry: Registry;
  const log = { info: jest.fn(), warn: jest.fn(), error: jest.fn(), debug: jest.fn() };

  const startWorker = (consume: (delivery: Delivery) => Promise<unknown>, concurrency = 4): EventWorker => {
    const consumers = new Map<EventName, (delivery: Delivery) => Promise<void>>();
    for (const name of ['material.rendered', 'favorite.placed'] as const)
      consumers.set(name, (delivery) => consume(delivery).then(() => undefined));
    worker = new EventWorker(
      { service: 'activity', jobsUrl: redisUrl, registry, log, concurrency, drainMs: 30_000 },
      consumers,
      own,
    );
    worker.start();
    return worker;
  };

  /** Adds jobs with one attempt, so that using it up fails the job. */
  const enqueue = async (events: readonly EventEnvelope[]): Promise<string> => {
    const ids: string[] = [];
    for (const { name, data } of jobsOf('activity', events)) {
      const opts = { ...jobOptions({ attempts: 1, backoffMs: 50 }), jobId: data.id };
      ids.push((await view.queue.add(name, data, opts)).id!);
    }
    return ids[0]!;
  };

  const effect = ({ event, once }: Delivery, note = 'done') =>
    once(async (tx) => {
      await tx.query('insert into effects (event_id, note) values ($1, $2)', [event.id, note]);
    });

  const count = async (outcome: string): Promise<number> => {
    const { values } = await registry.getSingleMetric('events_consumed_total')!.get();
    return values.filter(({ labels }) => labels['outcome'] === outcome).reduce((sum, { value }) => sum + value, 0);
  };
  const isWaiting = async () => (await registry.getSingleMetric('event_worker_waiting')!.get()).values[0]?.value === 1;
  const isIn = (state: string, id: string) =>
    eventually(`${id} is ${state}`, async () => (await (await view.queue.getJob(id))?.getState()) === state);

  beforeAll(async () => {
    activity = await eventDatabase('activity');
    await activity.owner(`create role ${role} login password 'secret' in role storefront_activity`);
    const url = Object.assign(new URL(activity.url), { username: role, password: 'secret' }).href;
    own = new Database(await serviceDataSource({ service: 'activity', url, poolSize: 4, entities: [] }).initialize());
    view = new QueueView(redisUrl, 'activity');
  });

  beforeEach(() => (registry = new Registry()));

  afterEach(async () => {
    await worker?.close();
    await view.empty();
    await activity.owner('truncate inbox, effects');
    jest.clearAllMocks();
  });

  afterAll(async () => {
    await view.close();
    await own.source.destroy();
    await activity.owner(`drop role ${role}`);
    await activity.close();
  });

  it('uses up no attempt while the database role cannot log in, and all events are consumed afterwards', async () => {
    await activity.owner(`alter role ${role} nologin`);
    await activity.owner(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);
    const attempts = new Set<number>();
    startWorker((delivery) => {
      attempts.add(delivery.attempt);
      return effect(delivery);
    });
    await enqueue(Array.from({ length: 9 }, (_, n) => rendered(n)));
    await eventually(
      'the worker has paused',
      async () => (await view.queue.getFailedCount()) > 0 || (await isWaiting()),
    );
    await eventually(
      'a probe has failed',
      async () => (await view.queue.getFailedCount()) > 0 || (await count('postponed')) > 5,
    );
    expect(await view.queue.getFailedCount()).toBe(0);
    await activity.owner(`alter role ${role} login`);
    await eventually('all are consumed', async () => (await activity.count('effects')) === 9, 60_000);
    expect([...attempts]).toEqual([1]);
    expect([await view.queue.getFailedCount(), await isWaiting()]).toEqual([0, false]);
    expect(log.error).not.toHaveBeenCalled();
    expect(log.warn.mock.calls.map(String).join()).toContain('Event worker paused until a dependency recovers');
  });

  it('is probed with one job at a time and does not delay shutdown', async () => {
    let running = 0;
    let maxRunning = 0;
    let started = 0;
    const concurrency = 4;
    const closing = startWorker(async () => {
      running += 1;
      started += 1;
      // The first jobs fail only once all of them have started
      await eventually('all concurrent jobs have started', () => started >= concurrency);
      if (await isWaiting()) maxRunning = Math.max(maxRunning, running);
      await sleep(50);
      running -= 1;
      throw outage();
    }, concurrency);
    await enqueue(Array.from({ length: 50 }, (_, n) => rendered(n)));
    await eventually('two probes', async () => (await count('postponed')) >= 6);
    expect(maxRunning).toBe(1);
    expect(await count('postponed')).toBeLessThan(12);
    await closing.close();
    expect(await view.queue.getActiveCount()).toBe(0);
    expect((await view.queue.getDelayedCount()) + (await view.queue.getWaitingCount())).toBe(50);
  });

  it('of a single event does not block the others, and counts as an attempt after 60 suspicions', async () => {
    startWorker((delivery) => {
      if ('materialId' in delivery.event.payload && delivery.event.payload.materialId === 0) throw outage();
      return effect(delivery);
    });
    const poison = await enqueue([rendered(0)]);
    await isIn('delayed', poison);
    await enqueue(Array.from({ length: 10 }, (_, n) => rendered(n + 1)));
    await eventually('the others are done', async () => (await activity.count('effects')) === 10);
    expect(await isWaiting()).toBe(false);
    const job = (await view.queue.getJob(poison))!;
    const redis = new Redis(redisUrl);
    await redis.hset(view.queue.toKey(poison), { suspicions: 60 });
    // `promote` fails when the delay has ended already
    await job.promote().catch(() => undefined);
    await isIn('failed', poison);
    await eventually(
      'the suspicions are reset',
      async () => (await redis.hget(view.queue.toKey(poison), 'suspicions')) === null,
    );
    redis.disconnect();
  });

  it('postpones the unconsumed events of a batch as one job', async () => {
    let isUnavailable = true;
    startWorker((delivery) => {
      if ('productId' in delivery.event.payload && delivery.event.payload.productId > 1 && isUnavailable)
        throw outage();
      return effect(delivery);
    });
    const id = await enqueue([0, 1, 2, 3].map(placed));
    await isIn('delayed', id);
    const job = (await view.queue.getJob(id))!;
    expect(eventsOfBatch(job.data)!.map(({ payload }) => (payload as { productId: number }).productId)).toEqual([2, 3]);
    expect([job.attemptsMade, await count('done'), await count('postponed')]).toEqual([0, 2, 2]);
    isUnavailable = false;
    await job.promote().catch(() => undefined);
    await isIn('completed', id);
    expect(await activity.count('effects')).toBe(4);
  });
});
