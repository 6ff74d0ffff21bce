import { randomUUID } from 'node:crypto';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { type EventEnvelope } from '#contracts';
import { eventually, testRedisUrl } from '#testing';
import { Publisher } from './publisher.js';
import { QueueStatsReader } from './queue-stats.js';
import { QueueView } from './testing/event-stack.js';

describe('fairPriorities', () => {
  const url = testRedisUrl();
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  const view = new QueueView(url, 'material-rendering');
  const publisher = new Publisher({
    jobsUrl: url,
    requestsUrl: url,
    prefix: 'storefront',
    timeoutMs: 5_000,
    attempts: 3,
    backoffMs: 60_000,
    onError: () => undefined,
  });
  const worker = new Worker('events-material-rendering', null, { connection: redis, prefix: 'storefront' });

  beforeEach(() => view.empty());
  afterAll(async () => {
    publisher.close();
    await worker.close(true);
    await view.close();
    redis.disconnect();
  });

  const created = (userId: number): EventEnvelope => ({
    id: randomUUID(),
    name: 'material.created',
    version: 1,
    occurredAt: new Date().toISOString(),
    metadata: {},
    payload: { materialId: 1, userId, title: 'Lighthouse' },
  });
  const publish = (...events: EventEnvelope[]) => publisher.publish('material-rendering', events);
  const uploads = (userId: number, count: number) => Array.from({ length: count }, () => created(userId));
  /** Completes the next jobs. @returns the user ids of their events */
  const work = async (count: number): Promise<number[]> => {
    const users: number[] = [];
    while (users.length < count) {
      const job = await worker.getNextJob('token', { block: false });
      users.push(job.data.payload.userId);
      await job.moveToCompleted(undefined, 'token', false);
    }
    return users;
  };

  it('put the first upload of another user before 49 of 50', async () => {
    await publish(...uploads(1, 50));
    await publish(created(2));
    expect(await work(3)).toEqual([1, 2, 1]);
  });

  it('do not favour users that arrive late', async () => {
    await publish(...uploads(1, 50));
    await work(20);
    await publish(...uploads(2, 3));
    await publish(...uploads(3, 3));
    expect(await work(10)).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3, 1]);
  });

  it('follow the order of the events of one user', async () => {
    const events = uploads(1, 4);
    await publish(...events.slice(0, 2));
    await publish(...events.slice(2));
    expect((await view.waiting()).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  });

  it('do not change when an event is published again', async () => {
    const event = created(1);
    for (let time = 0; time < 5; time += 1) await publish(event);
    await publish(created(1));
    expect((await view.waiting()).map(({ priority }) => priority)).toEqual([1, 2]);
  });

  it('start over when no job waits, and delete the start tags of other users', async () => {
    await publish(...uploads(1, 5));
    await work(5);
    await publish(created(2));
    expect((await view.waiting()).map(({ priority }) => priority)).toEqual([1]);
    expect(await redis.zrange('storefront:events-material-rendering:start-tags', 0, -1)).toEqual(['2']);
  });

  it('are preserved when a job is retried', async () => {
    await publish(...uploads(1, 3));
    const job = await worker.getNextJob('token', { block: false });
    await job.moveToFailed(new Error('the store is unavailable'), 'token', false);
    await job.promote();
    await publish(created(2));
    expect((await view.waiting()).map(({ data, priority }) => [data.payload.userId, priority])).toEqual([
      [1, 1],
      [2, 1],
      [1, 2],
      [1, 3],
    ]);
  });

  it('put jobs without a user first', async () => {
    await publish(created(1));
    const hidden = { ...created(1), name: 'material.updated', payload: { materialId: 1, userId: 1, stale: 'all' } };
    await publish(hidden as EventEnvelope);
    expect((await view.waiting()).map(({ name }) => name)).toEqual(['material.updated', 'material.created']);
  });

  it('are included in the number of waiting jobs and in the age of the oldest job', async () => {
    const old = Date.now() - 60_000;
    await publish(...uploads(1, 3));
    const [, last] = await view.waiting();
    await redis.hset(`storefront:events-material-rendering:${last!.id}`, 'timestamp', old);
    const stats = await eventually('the stats', () =>
      new QueueStatsReader(redis, 'storefront:events-material-rendering').read(),
    );
    expect(stats.jobs).toMatchObject({ waiting: 3, active: 0 });
    expect(stats.oldestSeconds).toBeGreaterThanOrEqual(60);
  });
});
