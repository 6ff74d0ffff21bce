import { randomUUID } from 'node:crypto';
import { type EventEnvelope, type EventName, eventsFor } from '#contracts';
import { eventsOfBatch, jobsOf } from './batch.js';
import { UnknownEventVersion, readEnvelope } from './envelope.js';

const event = (name: EventName): EventEnvelope => ({
  id: randomUUID(),
  name,
  version: 1,
  occurredAt: new Date().toISOString(),
  payload: {},
  metadata: {},
});
const several = (name: EventName, count: number) => Array.from({ length: count }, () => event(name));

describe('jobsOf', () => {
  it('creates a batch for several events of a batched name and one job for each other event, in their order', () => {
    const [one, two] = several('favorite.placed', 2);
    const [rendered, alsoRendered] = several('material.rendered', 2);
    const jobs = jobsOf('activity', [rendered!, one!, alsoRendered!, two!]);
    expect(jobs.map(({ name }) => name)).toEqual(['material.rendered', 'favorite.placed', 'material.rendered']);
    expect(jobs.map(({ data }) => eventsOfBatch(data))).toEqual([undefined, [one, two], undefined]);
    expect([jobs[0]!.data, jobs[2]!.data]).toEqual([rendered, alsoRendered]);
  });

  it('creates no batch for a single event', () => {
    const single = event('favorite.placed');
    expect(jobsOf('activity', [single])).toEqual([{ name: 'favorite.placed', data: single, user: undefined }]);
  });

  it('limits a batch to fifty events and derives its id from them', () => {
    const events = several('favorite.placed', 101);
    const jobs = jobsOf('activity', events);
    expect(jobs.map(({ data }) => eventsOfBatch(data)?.length)).toEqual([50, 50, undefined]);
    expect(jobs.flatMap(({ data }): readonly unknown[] => eventsOfBatch(data) ?? [data])).toEqual(events);
    expect(new Set(jobs.map(({ data }) => data.id)).size).toBe(3);
    expect(jobsOf('activity', events)).toEqual(jobs);
  });

  it('creates one job for the pending events of each name for the event log of webhooks, except for slow events', () => {
    for (const name of eventsFor('webhooks'))
      expect(jobsOf('webhooks', several(name, 50))).toHaveLength(name === 'user.deleted' ? 50 : 1);
  });

  it('creates a job for each new material in the fair queue of users of material-rendering, and none there for webhooks', () => {
    const events = [7, 8].map((userId) => ({ ...event('material.created'), payload: { userId } }));
    expect(jobsOf('material-rendering', events).map(({ user }) => user)).toEqual([7, 8]);
    expect(jobsOf('webhooks', events).map(({ user }) => user)).toEqual([undefined]);
    expect(jobsOf('webhooks', events.slice(1)).map(({ user }) => user)).toEqual([undefined]);
  });

  it('creates batches that a version without batches reads as an unknown event', () => {
    const [job] = jobsOf('activity', several('favorite.placed', 2));
    expect(() => readEnvelope(job!.data)).toThrow(UnknownEventVersion);
  });
});
