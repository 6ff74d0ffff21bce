import { Queue } from 'bullmq';
import { testRedisUrl } from '#testing';
import { jobsOf } from './batch.js';
import { defaultPrefix, queueName } from './event-queue.js';
import { type JobState, QueuedEvents } from './queued-events.js';

const url = testRedisUrl();
const queue = new Queue(queueName('activity'), { connection: { url }, prefix: defaultPrefix });
const queued = new QueuedEvents(url);
afterAll(async () => {
  queued.close();
  await queue.close();
});

it('reports jobs of a snapshot that no longer exist when they are read', async () => {
  const id = 'b2a4c1de-0000-4000-8000-000000000001';
  const event = { id, name: 'favorite.placed', payload: {} };
  await queue.add('favorite.placed', event, { jobId: 'existing' });
  await queue.add('favorite.placed', { ...event, id: id.replace(/1$/, '2') }, { jobId: 'removed' });
  const jobs = await queued.snapshot(new Date());
  await queue.remove('removed');
  const missing: JobState[] = [];
  const found: string[] = [];
  for await (const { event } of queued.events(jobs, (state) => missing.push(state))) found.push(event.id);
  expect(found).toEqual([id]);
  expect(missing).toEqual(['waiting']);
});

it('yields each event of a batch', async () => {
  await queue.obliterate({ force: true });
  const events = [3, 4].map((n) => ({
    id: `b2a4c1de-0000-4000-8000-00000000000${n}`,
    name: 'favorite.placed' as const,
    version: 1,
    occurredAt: new Date().toISOString(),
    payload: {} as never,
    metadata: {},
  }));
  for (const { name, data } of jobsOf('activity', events)) await queue.add(name, data, { jobId: data.id });
  const jobs = await queued.snapshot(new Date());
  expect(jobs.get('activity')!.get('waiting')).toHaveLength(1);
  const found: unknown[] = [];
  for await (const item of queued.events(jobs)) found.push(item);
  expect(found).toEqual(
    events.map((event) => ({ subscriber: 'activity', state: 'waiting', event, reason: undefined })),
  );
});
