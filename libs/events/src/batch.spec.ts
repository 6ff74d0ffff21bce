import { randomUUID } from 'node:crypto';
import { type EventEnvelope, type EventName } from '#contracts';
import { eventsOfBatch, jobsOf } from './batch.js';
import { NotKnownYet, readEnvelope } from './envelope.js';

const event = (name: EventName): EventEnvelope => ({
  id: randomUUID(),
  name,
  version: 1,
  occurredAt: new Date().toISOString(),
  payload: {},
  metadata: {},
});
const some = (name: EventName, count: number) => Array.from({ length: count }, () => event(name));

describe('events of one round', () => {
  it('travel together where they are many of one kind, the others as a job each, in their order', () => {
    const [one, two] = some('favorite.placed', 2);
    const [rendered, alsoRendered] = some('material.rendered', 2);
    const jobs = jobsOf([rendered!, one!, alsoRendered!, two!]);
    expect(jobs.map(({ name }) => name)).toEqual(['material.rendered', 'favorite.placed', 'material.rendered']);
    expect(jobs.map(({ data }) => eventsOfBatch(data))).toEqual([undefined, [one, two], undefined]);
    expect([jobs[0]!.data, jobs[2]!.data]).toEqual([rendered, alsoRendered]);
  });

  it('are themselves when there is one', () => {
    const alone = event('favorite.placed');
    expect(jobsOf([alone])).toEqual([{ name: 'favorite.placed', data: alone }]);
  });

  it('are a job for each fifty', () => {
    const events = some('favorite.placed', 101);
    const jobs = jobsOf(events);
    expect(jobs.map(({ data }) => eventsOfBatch(data)?.length)).toEqual([50, 50, undefined]);
    expect(jobs.flatMap(({ data }): readonly unknown[] => eventsOfBatch(data) ?? [data])).toEqual(events);
    expect(new Set(jobs.map(({ data }) => data.id)).size).toBe(3);
    expect(jobsOf(events)).toEqual(jobs);
  });

  it('are put back by a process of a version that knows no batches', () => {
    const [job] = jobsOf(some('favorite.placed', 2));
    expect(() => readEnvelope(job!.data)).toThrow(NotKnownYet);
  });
});
