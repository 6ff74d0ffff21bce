import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { DelayedError, Job, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { type EventEnvelope } from '#contracts';
import { currentCall } from '#request-queue';
import { eventually, testRedisUrl } from '#testing';
import { eventsOfBatch, jobsOf } from './batch.js';
import { type Delivery, PermanentFailure } from './delivery.js';
import { jobOptions, queueName } from './event-queue.js';
import { EventWorker } from './event-worker.js';
import { type ConsumerOptions } from './options.js';
import { Relay } from './relay/relay.js';
import {
  createTakeNote,
  type EventDatabase,
  eventDatabase,
  QueueView,
  startCrashingWorker,
} from './testing/event-stack.js';

type Placed = EventEnvelope<'favorite.placed'>;

const placed = (productId: number): Placed => ({
  id: randomUUID(),
  name: 'favorite.placed',
  version: 1,
  occurredAt: new Date().toISOString(),
  payload: { favoriteId: 1, productId, productTitle: '東京', ownerId: 1, userId: 2, anonymous: false, count: 1 },
  metadata: { requestId: `request-of-${productId}` },
});
const several = (count: number): Placed[] => Array.from({ length: count }, (_, n) => placed(n));

describe('a batch of events', () => {
  let activity: EventDatabase;
  let redisUrl: string;
  let view: QueueView;
  let workers: EventWorker[] = [];
  let registry: Registry;
  const log = { info: jest.fn(), warn: jest.fn(), error: jest.fn(), debug: jest.fn() };

  const startWorker = (
    consume: (delivery: Delivery<'favorite.placed'>) => Promise<unknown>,
    options: Partial<ConsumerOptions> = {},
  ): EventWorker => {
    const worker = new EventWorker(
      { service: 'activity', jobsUrl: redisUrl, registry, log, ...options },
      new Map([['favorite.placed', consume as (delivery: Delivery) => Promise<void>]]),
      activity.database,
    );
    worker.start();
    workers.push(worker);
    return worker;
  };

  /** Adds the events as one job, like the relay. */
  const enqueue = async (events: readonly EventEnvelope[]): Promise<string> => {
    const [{ name, data }] = jobsOf('activity', events) as [ReturnType<typeof jobsOf>[number]];
    const opts = { ...jobOptions({ attempts: 3, backoffMs: 50 }), jobId: data.id };
    return (await view.queue.add(name, data, opts)).id!;
  };

  const note = ({ event, onceCalling }: Delivery<'favorite.placed'>) =>
    onceCalling('take_note($1, $2)', [`product ${event.payload.productId}`]);
  const notes = async () =>
    (await activity.owner<{ note: string }>('select note from effects order by note')).map(({ note }) => note);

  const stateOf = async (id: string) => (await view.queue.getJob(id))?.getState();
  const isIn = (state: string, id: string) =>
    eventually(`${id} is ${state}`, async () => (await stateOf(id)) === state);
  const counted = async (): Promise<Record<string, number>> => {
    const { values } = await registry.getSingleMetric('events_consumed_total')!.get();
    return Object.fromEntries(values.map(({ labels, value }) => [String(labels['outcome']), value]));
  };

  beforeAll(async () => {
    activity = await eventDatabase('activity');
    await createTakeNote(activity, 'product 99');
    redisUrl = testRedisUrl();
    view = new QueueView(redisUrl, 'activity');
  });

  beforeEach(() => (registry = new Registry()));

  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    workers = [];
    await view.empty();
    await activity.owner('truncate inbox, effects, outbox');
    jest.restoreAllMocks();
    jest.clearAllMocks();
  });

  afterAll(async () => {
    await view.close();
    await activity.close();
  });

  it('of one round of the relay is one job and one statement; each event retains its request id', async () => {
    const requests = new Set<string | undefined>();
    const events = several(20);
    await activity.database.transaction(async (tx) => {
      for (const { id, payload, metadata } of events)
        await tx.query(
          `insert into outbox (id, name, version, payload, metadata) values ($1, 'favorite.placed', 1, $2, $3)`,
          [id, JSON.stringify(payload), JSON.stringify(metadata)],
        );
    });
    const urls = { databaseUrl: activity.url, jobsUrl: redisUrl, requestsUrl: redisUrl };
    const relay = new Relay({ service: 'activity', ...urls, registry });
    relay.start();
    await eventually('the outbox is empty', async () => (await activity.count('outbox')) === 0);
    await relay.close();
    expect((await registry.getSingleMetric('events_published_total')!.get()).values[0]!.value).toBe(20);
    const [job, ...others] = await view.queue.getWaiting();
    expect(others).toEqual([]);
    expect([job!.name, job!.id]).toEqual(['favorite.placed', job!.data.id]);
    expect(eventsOfBatch(job!.data)!.map(({ id }) => id)).toEqual(events.map(({ id }) => id));

    const written = jest.spyOn(activity.database, 'write');
    startWorker(async (delivery) => {
      requests.add(currentCall()?.requestId);
      await note(delivery);
    });
    await isIn('completed', job!.id!);
    expect(written).toHaveBeenCalledTimes(1);
    expect(await activity.count('effects')).toBe(20);
    expect([...requests]).toEqual(events.map(({ metadata }) => metadata['requestId']));
    expect(await counted()).toEqual({ done: 20 });
    const seconds = await registry.getSingleMetric('event_consuming_seconds')!.get();
    expect(seconds.values.at(-1)).toMatchObject({ value: 20 });
    expect(log.warn).not.toHaveBeenCalled();
  });

  it('has no further effect when all or some of its events are delivered again', async () => {
    const events = several(5);
    const results: boolean[] = [];
    startWorker(async (delivery) => results.push(await note(delivery)));
    const first = await enqueue(events.slice(0, 3));
    await isIn('completed', first);
    await isIn('completed', await enqueue(events));
    await isIn('completed', await enqueue([events[4]!]));
    expect(results.filter(Boolean)).toHaveLength(5);
    expect(results).toHaveLength(9);
    expect(await activity.count('effects')).toBe(5);
  });

  it('completes except for failing events, which are retried separately until they fail permanently', async () => {
    const attempts = new Map<number, number[]>();
    startWorker(async (delivery) => {
      const { productId } = delivery.event.payload;
      attempts.set(productId, [...(attempts.get(productId) ?? []), delivery.attempt]);
      if (productId === 1) throw new Error('invalid event');
      if (productId === 2) throw new PermanentFailure('the product is deleted');
      await note(delivery);
    });
    const events = several(4);
    await isIn('completed', await enqueue(events));
    for (const n of [1, 2]) await isIn('failed', events[n]!.id);
    expect(Object.fromEntries(attempts)).toEqual({ 0: [1], 1: [1, 1, 2, 3], 2: [1, 1], 3: [1] });
    expect(await notes()).toEqual(['product 0', 'product 3']);
    const failed = await view.queue.getFailed();
    expect(failed.map(({ id, data }) => [id, data.id])).toEqual(failed.map(({ data }) => [data.id, data.id]));
    expect(await counted()).toEqual({ done: 2, retried: 4, failed: 2 });
    expect(log.error).toHaveBeenCalledTimes(2);
    expect(log.warn.mock.calls.map(String).filter((line) => line.includes('separately'))).toHaveLength(2);
  });

  it('is retried one by one when its statement fails', async () => {
    startWorker(note);
    const events = [placed(98), placed(99), placed(97)];
    await isIn('completed', await enqueue(events));
    await isIn('failed', events[1]!.id);
    for (const n of [0, 2]) await isIn('completed', events[n]!.id);
    expect(await notes()).toEqual(['product 97', 'product 98']);
    expect(await activity.count('inbox')).toBe(2);
  });

  it('delays an event of a newer version and consumes the others', async () => {
    startWorker(note);
    const events: EventEnvelope[] = [placed(1), { ...placed(2), version: 2 }, placed(3)];
    await isIn('completed', await enqueue(events));
    await isIn('delayed', events[1]!.id);
    const job = (await view.queue.getJob(events[1]!.id))!;
    expect([job.attemptsMade, job.delay]).toEqual([0, expect.closeTo(30_000, -4)]);
    expect(await notes()).toEqual(['product 1', 'product 3']);
    expect(await counted()).toEqual({ done: 2, unknown: 1 });
    expect(log.warn).toHaveBeenCalledTimes(1);
  });

  it('is split after the process that had started it crashed', async () => {
    const crash = startCrashingWorker(redisUrl, 'activity');
    const events = several(5);
    const id = await enqueue(events);
    await isIn('active', id);
    await crash();
    // The crashed process had consumed one event
    await activity.owner('insert into inbox (event_id) values ($1)', [events[0]!.id]);
    const written = jest.spyOn(activity.database, 'write');
    // The lock is longer than a blocked event loop, so that this worker does not lose its own lock.
    // Expired locks are searched every 1.5 s
    startWorker(note, { lockMs: 9_000 });
    await isIn('completed', id);
    for (const { id } of events) await isIn('completed', id);
    expect(written).toHaveBeenCalledTimes(5);
    expect(await notes()).toEqual([1, 2, 3, 4].map((n) => `product ${n}`));
    expect(log.warn).toHaveBeenCalledTimes(1);
  });

  it('is one statement after a process of a version without batches has delayed it', async () => {
    const redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
    const delay = async (job: Job, token?: string): Promise<void> => {
      await job.moveToDelayed(Date.now() + 500, token);
      throw new DelayedError();
    };
    const older = new Worker(queueName('activity'), delay, { connection: redis, prefix: 'storefront' });
    const id = await enqueue(several(5));
    await isIn('delayed', id);
    await older.close();
    redis.disconnect();
    const written = jest.spyOn(activity.database, 'write');
    startWorker(note);
    await isIn('completed', id);
    expect(written).toHaveBeenCalledTimes(1);
    expect(await notes()).toHaveLength(5);
  });

  it('is retried when Redis rejects the separate jobs', async () => {
    startWorker(async ({ attempt }) => {
      if (attempt === 1) throw new Error('not yet');
      await Promise.resolve();
    });
    jest.spyOn(Job, 'createBulk').mockRejectedValueOnce(new Error('OOM command not allowed'));
    const events = several(2);
    const id = await enqueue(events);
    await isIn('completed', id);
    for (const { id } of events) await isIn('completed', id);
    expect((await view.queue.getJob(id))!.attemptsMade).toBe(2);
  });

  it('returns unconsumed events to the queue at shutdown', async () => {
    const running = new Set<number>();
    const slow = startWorker(
      async (delivery) => {
        const { productId } = delivery.event.payload;
        running.add(productId);
        if (productId > 1) await sleep(30_000, undefined, { signal: delivery.signal });
        await note(delivery);
      },
      { drainMs: 100 },
    );
    const events = several(4);
    const id = await enqueue(events);
    await eventually('all run', () => running.size === 4);
    const before = Date.now();
    await slow.close();
    expect(Date.now() - before).toBeLessThan(15_000);
    expect(await stateOf(id)).toBe('completed');
    expect((await view.queue.getWaiting()).map(({ data }) => data.payload.productId).toSorted()).toEqual([2, 3]);
    expect(await counted()).toEqual({ done: 2, returned: 2 });
    const attempts: number[] = [];
    startWorker(async (delivery) => {
      attempts.push(delivery.attempt);
      await note(delivery);
    });
    for (const n of [2, 3]) await isIn('completed', events[n]!.id);
    expect(attempts).toEqual([1, 1]);
    expect(await notes()).toEqual([0, 1, 2, 3].map((n) => `product ${n}`));
  });
});
