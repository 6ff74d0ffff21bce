import { randomUUID } from 'node:crypto';
import { Queue, UnrecoverableError, Worker } from 'bullmq';
import type { ServiceName } from '#contracts';
import { eventually, testRedisUrl } from '#testing';
import { defaultPrefix, jobOptions, queueName } from '../../../../libs/events/src/event-queue.js';
import { readArguments } from '../command-line/arguments.js';
import { type Report } from '../command-line/command.js';

const url = testRedisUrl();
const at = { connection: { url }, prefix: defaultPrefix };
const queues = { activity: new Queue(queueName('activity'), at), social: new Queue(queueName('social'), at) };

/** Adds a failed job to the queue of each subscriber. */
async function fail(id: string, name: string, subscribers: readonly (keyof typeof queues)[], reason: string) {
  for (const subscriber of subscribers) {
    const options = { ...jobOptions({ attempts: 8, backoffMs: 50 }), jobId: id };
    await queues[subscriber].add(name, { id, name, version: 1, payload: {} }, options);
    const worker = new Worker(queueName(subscriber), () => Promise.reject(new UnrecoverableError(reason)), at);
    await eventually('the job has failed', async () => (await stateOf(subscriber, id)) === 'failed');
    await worker.close();
  }
}

const stateOf = async (subscriber: ServiceName, id: string) =>
  (await queues[subscriber as keyof typeof queues].getJob(id))?.getState();

async function operator(line: string) {
  const parsed = readArguments(line.split(' '));
  if (parsed.kind === 'help') throw new Error(parsed.text);
  return parsed.command.run(undefined as never, parsed.flags);
}

describe('failed event jobs', () => {
  const { REDIS_JOBS_URL } = process.env;
  const [placed, deleted] = [randomUUID(), randomUUID()];

  beforeAll(() => {
    process.env['REDIS_JOBS_URL'] = url;
  });

  beforeEach(async () => {
    await fail(placed, 'favorite.placed', ['activity'], 'the paper\x1b[2J is out');
    await fail(deleted, 'user.deleted', ['activity', 'social'], 'no such user');
  });

  afterEach(async () => {
    for (const queue of Object.values(queues)) await queue.obliterate({ force: true });
  });

  afterAll(async () => {
    if (REDIS_JOBS_URL === undefined) delete process.env['REDIS_JOBS_URL'];
    else process.env['REDIS_JOBS_URL'] = REDIS_JOBS_URL;
    await Promise.all(Object.values(queues).map((queue) => queue.close()));
  });

  it('are not removed by count or age, and are listed by service', async () => {
    for (const job of await queues.activity.getFailed()) expect(job.opts.removeOnFail).toBe(false);
    const listing = (await operator('events failed')) as Report;
    expect(listing.data).toMatchObject({
      failed: { activity: 2, social: 1 },
      jobs: expect.arrayContaining([
        {
          subscriber: 'activity',
          id: placed,
          event: 'favorite.placed',
          events: 1,
          reason: 'the paper\x1b[2J is out',
          failedAt: expect.any(Date),
          ageSeconds: expect.any(Number),
        },
      ]),
    });
    expect(listing.text).toMatch(
      new RegExp(`activity +${placed} +favorite.placed +\\d+ s ago +the paper \\[2J is out`),
    );
    expect(((await operator('events failed social')) as Report).data).toMatchObject({ jobs: [{ id: deleted }] });
  });

  it('are retried by id in the queue in which they failed, or all at once', async () => {
    await expect(operator(`events retry ${deleted} --service social`)).resolves.toMatchObject({
      text: 'Retried jobs: 1',
      data: { retried: 1 },
    });
    expect([await stateOf('social', deleted), await stateOf('activity', deleted)]).toEqual(['waiting', 'failed']);
    await expect(operator('events retry --all')).resolves.toMatchObject({ data: { retried: 2 } });
    expect([await stateOf('activity', deleted), await stateOf('activity', placed)]).toEqual(['waiting', 'waiting']);
    await expect(operator(`events retry ${deleted}`)).rejects.toThrow(`No failed job has the id ${deleted}`);
  });

  it('are dropped by id and service', async () => {
    const drop = `events drop ${deleted} --service activity`;
    await expect(operator(drop)).rejects.toThrow('add --yes');
    expect(await stateOf('activity', deleted)).toBe('failed');
    await expect(operator(`${drop} --yes`)).resolves.toMatchObject({
      text: expect.stringMatching(new RegExp(`activity +${deleted} +user.deleted`)),
      data: { dropped: { id: deleted, event: 'user.deleted' } },
    });
    expect([await stateOf('activity', deleted), await stateOf('social', deleted)]).toEqual([undefined, 'failed']);
    await queues.activity.add('user.deleted', {}, { jobId: 'waits' });
    await expect(operator('events drop waits --service activity --yes')).rejects.toThrow(
      'No failed job has the id waits',
    );
    expect(await stateOf('activity', 'waits')).toBe('waiting');
  });
});
