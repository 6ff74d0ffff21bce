import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Registry } from 'prom-client';
import { type EventEnvelope, type EventName } from '#contracts';
import { startRedis } from '#dev-stack';
import { currentCall } from '#request-queue';
import { eventually, TcpProxy, testRedisUrl } from '#testing';
import { type Delivery, PermanentFailure } from './delivery.js';
import { jobOptions } from './event-queue.js';
import { EventWorker } from './event-worker.js';
import { type ConsumerOptions } from './options.js';
import { Relay } from './relay/relay.js';
import { type EventDatabase, eventDatabase, QueueView, startCrashingWorker } from './testing/event-stack.js';

const rendered = (materialId: number): EventEnvelope<'material.rendered'> => ({
  id: randomUUID(),
  name: 'material.rendered',
  version: 1,
  occurredAt: new Date().toISOString(),
  payload: { materialId, userId: 1, title: '東京', images: 3 },
  metadata: { requestId: `request-of-${materialId}` },
});

describe('EventWorker', () => {
  let activity: EventDatabase;
  let redisUrl: string;
  let view: QueueView;
  let workers: EventWorker[] = [];
  const log = { info: jest.fn(), warn: jest.fn(), error: jest.fn(), debug: jest.fn() };

  const startWorker = (
    consume: (delivery: Delivery) => Promise<void>,
    options: Partial<ConsumerOptions> = {},
    name: EventName = 'material.rendered',
  ): EventWorker => {
    const worker = new EventWorker(
      { service: 'activity', jobsUrl: redisUrl, registry: new Registry(), log, ...options },
      new Map<EventName, typeof consume>([[name, consume]]),
      activity.database,
    );
    worker.start();
    workers.push(worker);
    return worker;
  };

  const enqueue = (event: Partial<EventEnvelope>, jobId = event.id!) =>
    view.queue.add(event.name ?? 'nameless', event, { ...jobOptions({ attempts: 3, backoffMs: 50 }), jobId });

  const writeEffect = (delivery: Delivery, note = 'done') =>
    delivery.once(async (tx) => {
      await tx.query('insert into effects (event_id, note) values ($1, $2)', [delivery.event.id, note]);
    });

  const stateOf = async (id: string) => (await view.queue.getJob(id))?.getState();
  const isIn = (state: string, id: string) =>
    eventually(`${id} is ${state}`, async () => (await stateOf(id)) === state);

  beforeAll(async () => {
    activity = await eventDatabase('activity');
    redisUrl = testRedisUrl();
    view = new QueueView(redisUrl, 'activity');
  });

  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    workers = [];
    await view.empty();
    await activity.owner('truncate inbox, effects');
    jest.clearAllMocks();
  });

  afterAll(async () => {
    await view.close();
    await activity.close();
  });

  it('delivers an event to its consumer with the request id of its cause', async () => {
    const seen: unknown[] = [];
    startWorker(async ({ event, attempt, progress }) => {
      await progress(50);
      seen.push({ payload: event.payload, attempt, requestId: currentCall()?.requestId });
    });
    const event = rendered(7);
    await enqueue(event);
    await isIn('completed', event.id);
    expect(seen).toEqual([{ payload: event.payload, attempt: 1, requestId: 'request-of-7' }]);
    expect((await view.queue.getJob(event.id))!.progress).toBe(50);
  });

  it('succeeds at the third attempt after two failures, with one effect', async () => {
    const attempts: number[] = [];
    startWorker(async (delivery) => {
      attempts.push(delivery.attempt);
      await delivery.once(async (tx) => {
        await tx.query('insert into effects (event_id, note) values ($1, $2)', [delivery.event.id, 'x']);
        if (delivery.attempt < 3) throw new Error('not yet');
      });
    });
    const event = rendered(1);
    await enqueue(event);
    await isIn('completed', event.id);
    expect(attempts).toEqual([1, 2, 3]);
    expect([await activity.count('effects'), await activity.count('inbox')]).toEqual([1, 1]);
    expect(log.error).not.toHaveBeenCalled();
    const ids = { event: event.name, eventId: event.id, jobId: event.id, requestId: 'request-of-1' };
    const number: unknown = expect.any(Number);
    expect(log.warn.mock.calls.map(([fields]) => fields)).toEqual([
      { ...ids, attempt: 1, waitMs: number, ms: number },
      { ...ids, attempt: 2, waitMs: undefined, ms: number },
    ]);
    await eventually('the log line', () => log.info.mock.calls.length > 0);
    expect(log.info.mock.calls).toEqual([
      [{ ...ids, attempt: 3, waitMs: undefined, ms: number }, 'material.rendered consumed'],
    ]);
  });

  it('has no further effect when an event is delivered again', async () => {
    const results: boolean[] = [];
    startWorker(async (delivery) => {
      results.push(await writeEffect(delivery));
    });
    const event = rendered(1);
    await enqueue(event, 'first');
    await isIn('completed', 'first');
    await enqueue(event, 'second');
    await isIn('completed', 'second');
    expect(results).toEqual([true, false]);
    expect(await activity.count('effects')).toBe(1);
  });

  it('has one effect for two concurrent deliveries', async () => {
    const results: boolean[] = [];
    startWorker(async (delivery) => {
      results.push(
        await delivery.once(async (tx) => {
          await tx.query('insert into effects (event_id, note) values ($1, $2)', [delivery.event.id, 'x']);
          await tx.query('select pg_sleep(0.2)');
        }),
      );
    });
    const event = rendered(1);
    await Promise.all([enqueue(event, 'one'), enqueue(event, 'two')]);
    await Promise.all([isIn('completed', 'one'), isIn('completed', 'two')]);
    expect(results.toSorted()).toEqual([false, true]);
    expect(await activity.count('effects')).toBe(1);
  });

  it('writes neither the effect nor the inbox row when the COMMIT fails', async () => {
    await activity.owner(`create function fail_commit() returns trigger language plpgsql as
      $$ begin raise exception 'no commit'; end $$`);
    await activity.owner(`create constraint trigger fail_commit after insert on inbox
      deferrable initially deferred for each row execute function fail_commit()`);
    const attempts: number[] = [];
    startWorker(async (delivery) => {
      attempts.push(delivery.attempt);
      if (delivery.attempt === 2) await activity.owner('drop trigger fail_commit on inbox');
      await writeEffect(delivery);
    });
    const event = rendered(1);
    await enqueue(event);
    await isIn('completed', event.id);
    expect(attempts).toEqual([1, 2]);
    expect([await activity.count('effects'), await activity.count('inbox')]).toEqual([1, 1]);
  });

  it('consumes other events beside a poison event, which stays in the failed set', async () => {
    startWorker(
      async (delivery) => {
        if ('materialId' in delivery.event.payload && delivery.event.payload.materialId === 0)
          throw new Error('invalid event');
        await writeEffect(delivery);
      },
      { concurrency: 1 },
    );
    const poison = rendered(0);
    // The retries of this job are promoted below
    await view.queue.add(poison.name, poison, { ...jobOptions({ attempts: 3, backoffMs: 60_000 }), jobId: poison.id });
    const others = Array.from({ length: 10 }, (_, index) => rendered(index + 1));
    for (const event of others) await enqueue(event);
    await eventually('the others are done', async () => (await activity.count('effects')) === 10);
    for (const attempts of [1, 2]) {
      await isIn('delayed', poison.id);
      expect((await view.queue.getJob(poison.id))!.attemptsMade).toBe(attempts);
      await (await view.queue.getJob(poison.id))!.promote();
    }
    await isIn('failed', poison.id);
    const job = (await view.queue.getJob(poison.id))!;
    expect([job.attemptsMade, job.failedReason]).toEqual([3, 'invalid event']);
    expect(log.error).toHaveBeenCalledTimes(1);
  });

  it('does not retry a permanent failure and logs one error', async () => {
    const consume = jest.fn(() => Promise.reject(new PermanentFailure('the material is deleted')));
    startWorker(consume);
    const event = rendered(1);
    await enqueue(event);
    await isIn('failed', event.id);
    await sleep(300);
    expect(consume).toHaveBeenCalledTimes(1);
    expect(await stateOf(event.id)).toBe('failed');
    expect(log.error).toHaveBeenCalledTimes(1);
    expect(String(log.error.mock.calls[0])).toContain(`material.rendered ${event.id}`);
  });

  it('delays events of a newer version without using up an attempt, until a newer process consumes them', async () => {
    const old = startWorker(() => Promise.reject(new Error('must not be called')));
    const placed: EventEnvelope<'favorite.placed'> = {
      ...rendered(3),
      name: 'favorite.placed',
      payload: { favoriteId: 1, productId: 1, productTitle: '', ownerId: 1, userId: 1, anonymous: false, count: 1 },
    };
    const unknownEvents = [
      { ...rendered(1), name: 'material.folded' as EventName },
      { ...rendered(2), version: 2 },
      placed,
    ];
    for (const event of unknownEvents) await enqueue(event);
    for (const { id } of unknownEvents) await isIn('delayed', id);
    const jobs = await Promise.all(unknownEvents.map(({ id }) => view.queue.getJob(id)));
    expect(jobs.map((job) => [job!.attemptsMade, job!.delay])).toEqual(
      unknownEvents.map(() => [0, expect.closeTo(30_000, -4)]),
    );
    const logged = log.warn.mock.calls.map(([, text]) => String(text)).sort();
    expect(logged.map((line) => line.replace(/ [0-9a-f-]{36}/, '').split(',')[0])).toEqual([
      'favorite.placed delayed for 30 s: activity has no consumer of favorite.placed',
      'material.folded delayed for 30 s: event material.folded is unknown',
      'material.rendered delayed for 30 s: material.rendered has version 2',
    ]);
    await jobs[2]!.promote();
    await eventually('it was delivered again', async () => (await view.queue.getJob(placed.id))!.attemptsStarted === 2);
    await isIn('delayed', placed.id);
    expect(log.warn).toHaveBeenCalledTimes(unknownEvents.length);
    expect(log.error).not.toHaveBeenCalled();
    await old.close();
    const seen: number[] = [];
    const consume = ({ attempt }: Delivery): Promise<void> => Promise.resolve(void seen.push(attempt));
    startWorker(consume, {}, 'favorite.placed');
    await jobs[2]!.promote();
    await isIn('completed', placed.id);
    expect(seen).toEqual([1]);
  });

  it('fails an invalid payload, an older version and an invalid event without a retry', async () => {
    const consume = jest.fn(() => Promise.resolve());
    startWorker(consume);
    const invalid = [
      { ...rendered(1), payload: { materialId: 'three' } as never },
      { ...rendered(2), version: 0 },
      { ...rendered(3), occurredAt: 'yesterday' },
    ];
    for (const event of invalid) await enqueue(event);
    for (const { id } of invalid) await isIn('failed', id);
    const reasons = await Promise.all(invalid.map(async ({ id }) => (await view.queue.getJob(id))!.failedReason));
    expect(reasons[0]).toMatch(/^material.rendered has an invalid payload \(materialId: /);
    expect(reasons[1]).toBe('material.rendered has version 0, supported is 1');
    expect(reasons[2]).toMatch(/^not an event \(occurredAt: /);
    expect(consume).not.toHaveBeenCalled();
  });

  it('rejects a second call of once in a delivery', async () => {
    startWorker(async (delivery) => {
      await writeEffect(delivery, 'one');
      await writeEffect(delivery, 'two');
    });
    const event = rendered(1);
    await enqueue(event);
    await isIn('failed', event.id);
    expect((await view.queue.getJob(event.id))!.failedReason).toContain('once() was called twice');
  });

  it('returns an event to the queue when the grace period ends before its consumer', async () => {
    let running = false;
    const slow = startWorker(
      async ({ signal }) => {
        running = true;
        await sleep(30_000, undefined, { signal });
      },
      { drainMs: 100 },
    );
    const event = rendered(1);
    await enqueue(event);
    await eventually('the consumer runs', () => running);
    const before = Date.now();
    await slow.close();
    expect(Date.now() - before).toBeLessThan(15_000);
    expect(await stateOf(event.id)).toBe('waiting');
    let attempt = 0;
    startWorker(async (delivery) => {
      attempt = delivery.attempt;
      await writeEffect(delivery);
    });
    await isIn('completed', event.id);
    expect(attempt).toBe(1);
  });

  it('returns an event to the queue although the event loop is blocked for the grace period', async () => {
    let running = false;
    const slow = startWorker(
      async ({ signal }) => {
        running = true;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        // Longer than the grace period, while a response of the database is pending
        setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500));
        await activity.owner('select');
        throw new Error('it was aborted');
      },
      { drainMs: 100 },
    );
    const event = rendered(1);
    await enqueue(event);
    await eventually('the consumer runs', () => running);
    await slow.close();
    expect(await stateOf(event.id)).toBe('waiting');
  });

  it('waits for a running consumer when it closes', async () => {
    let running = false;
    const worker = startWorker(async (delivery) => {
      running = true;
      await sleep(300);
      await writeEffect(delivery);
    });
    const event = rendered(1);
    await enqueue(event);
    await eventually('the consumer runs', () => running);
    await worker.close();
    expect(await stateOf(event.id)).toBe('completed');
    expect(await activity.count('effects')).toBe(1);
  });

  it('takes over the event of a crashed process', async () => {
    const crash = startCrashingWorker(redisUrl, 'activity');
    const event = rendered(1);
    await enqueue(event);
    await isIn('active', event.id);
    await crash();
    startWorker(
      async (delivery) => {
        await writeEffect(delivery);
      },
      { lockMs: 300 },
    );
    await isIn('completed', event.id);
    expect(await activity.count('effects')).toBe(1);
  });

  it('has one effect when a relay crashes between publishing and deleting the row', async () => {
    const results: boolean[] = [];
    startWorker(async (delivery) => {
      results.push(await writeEffect(delivery));
    });
    await activity.owner(`create function no_delete() returns trigger language plpgsql as
      $$ begin raise exception 'the relay crashes here'; end $$`);
    await activity.owner('create trigger no_delete before delete on outbox for each row execute function no_delete()');
    const urls = { databaseUrl: activity.url, jobsUrl: redisUrl, requestsUrl: redisUrl };
    const startRelay = () => {
      const relay = new Relay({ service: 'activity', ...urls, leaseMs: 300, sweepMs: 100, registry: new Registry() });
      relay.start();
      return relay;
    };
    const crashing = startRelay();
    await activity.append('material.rendered', rendered(1).payload);
    await eventually('it was delivered', () => results.length === 1);
    await crashing.close();
    expect(await activity.count('outbox')).toBe(1);
    // BullMQ would ignore the second job while the completed one exists
    await eventually('the job is finished', async () => (await view.queue.getCompletedCount()) === 1);
    await view.empty();
    await activity.owner('drop trigger no_delete on outbox');
    const next = startRelay();
    await eventually('it was delivered again', () => results.length === 2);
    await eventually('the outbox is empty', async () => (await activity.count('outbox')) === 0);
    await next.close();
    expect(results).toEqual([true, false]);
    expect(await activity.count('effects')).toBe(1);
  });

  it('replaces dead connections and consumes events again', async () => {
    const proxy = await TcpProxy.before(redisUrl);
    startWorker((delivery) => writeEffect(delivery).then(() => undefined), { jobsUrl: proxy.url });
    await enqueue(rendered(1));
    await eventually('it consumes events', async () => (await activity.count('effects')) === 1);
    proxy.blackhole();
    await enqueue(rendered(2));
    await eventually('it consumes events again', async () => (await activity.count('effects')) === 2);
    await Promise.all(workers.map((worker) => worker.close()));
    proxy.close();
  });

  it('starts while Redis is unavailable and recovers from two outages', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'events-redis-'));
    let redis = await startRedis({ dataDir: folder, appendOnly: true });
    const { url, port } = redis;
    const own = new QueueView(url, 'activity');
    await redis.stop();
    const worker = startWorker(
      async (delivery) => {
        await writeEffect(delivery);
      },
      { jobsUrl: url, drainMs: 30_000 },
    );
    for (const materialId of [1, 2]) {
      redis = await startRedis({ dataDir: folder, appendOnly: true, port });
      const event = rendered(materialId);
      await own.queue.add(event.name, event, { jobId: event.id });
      await eventually('it is consumed', async () => (await activity.count('effects')) === materialId);
      await redis.stop();
    }
    const before = Date.now();
    await worker.close();
    expect(Date.now() - before).toBeLessThan(20_000);
    await own.close();
    await rm(folder, { recursive: true, force: true });
  });
});
