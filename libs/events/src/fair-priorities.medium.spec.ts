import { randomUUID } from 'node:crypto';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { type EventEnvelope } from '#contracts';
import { eventually, testRedisUrl } from '#testing';
import { Publisher } from './publisher.js';
import { QueueLook } from './queue-look.js';
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
  /** Has the next jobs done. @returns whose they were */
  const work = async (count: number): Promise<number[]> => {
    const users: number[] = [];
    while (users.length < count) {
      const job = await worker.getNextJob('token', { block: false });
      users.push(job.data.payload.userId);
      await job.moveToCompleted(undefined, 'token', false);
    }
    return users;
  };

  it('let the first upload of another go before 49 of 50', async () => {
    await publish(...uploads(1, 50));
    await publish(created(2));
    expect(await work(3)).toEqual([1, 2, 1]);
  });

  it('favour no late user: the one that has waited is next', async () => {
    await publish(...uploads(1, 50));
    await work(20);
    await publish(...uploads(2, 3));
    await publish(...uploads(3, 3));
    expect(await work(10)).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3, 1]);
  });

  it('are in the order of the events for one user', async () => {
    const events = uploads(1, 4);
    await publish(...events.slice(0, 2));
    await publish(...events.slice(2));
    expect((await view.waiting()).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  });

  it('are not used up by an event that is published again', async () => {
    const event = created(1);
    for (let time = 0; time < 5; time += 1) await publish(event);
    await publish(created(1));
    expect((await view.waiting()).map(({ priority }) => priority)).toEqual([1, 2]);
  });

  it('begin anew when nothing waits, and leave nothing of users behind', async () => {
    await publish(...uploads(1, 5));
    await work(5);
    await publish(created(2));
    expect((await view.waiting()).map(({ priority }) => priority)).toEqual([1]);
    expect(await redis.zrange('storefront:events-material-rendering:start-tags', 0, -1)).toEqual(['2']);
  });

  it('stay with a job that is tried again', async () => {
    await publish(...uploads(1, 3));
    const job = await worker.getNextJob('token', { block: false });
    await job.moveToFailed(new Error('the store is away'), 'token', false);
    await job.promote();
    await publish(created(2));
    expect((await view.waiting()).map(({ data, priority }) => [data.payload.userId, priority])).toEqual([
      [1, 1],
      [2, 1],
      [1, 2],
      [1, 3],
    ]);
  });

  it('come after events that are quick work', async () => {
    await publish(created(1));
    const hidden = { ...created(1), name: 'material.updated', payload: { materialId: 1, userId: 1, stale: 'all' } };
    await publish(hidden as EventEnvelope);
    expect((await view.waiting()).map(({ name }) => name)).toEqual(['material.updated', 'material.created']);
  });

  it('count in the number of waiting jobs, and in how long they wait', async () => {
    const old = Date.now() - 60_000;
    await publish(...uploads(1, 3));
    const [, last] = await view.waiting();
    await redis.hset(`storefront:events-material-rendering:${last!.id}`, 'timestamp', old);
    const facts = await eventually('a look', () =>
      new QueueLook(redis, 'storefront:events-material-rendering').facts(),
    );
    expect(facts.jobs).toMatchObject({ waiting: 3, active: 0 });
    expect(facts.oldestSeconds).toBeGreaterThanOrEqual(60);
  });
});
