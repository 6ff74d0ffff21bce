import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import type pg from 'pg';
import { eventsFor, serviceNames } from '#contracts';
import { schemas } from '#persistence';
import type { Notes } from './notes.js';

/** How long work in the background may take after the last write, and how often it is looked at. */
const patienceMs = 120_000;
const pauseMs = 100;

const outboxes = Object.values(schemas)
  .map(
    (schema) =>
      `select '${schema}' as schema, count(*)::int as count,
         coalesce(max(extract(epoch from clock_timestamp() - occurred_at)), 0)::float8 as age from ${schema}.outbox`,
  )
  .join(' union all ');

/** The events that a service has still to publish. */
interface Outbox {
  readonly schema: string;
  readonly count: number;
  /** Of the oldest, in seconds. */
  readonly age: number;
}

const unfinished = ['waiting', 'active', 'delayed', 'prioritized', 'waiting-children'] as const;

/** The queues of the services that listen to something. */
export function openQueues(jobsUrl: string): Queue[] {
  const listening = serviceNames.filter((service) => eventsFor(service).length > 0);
  return listening.map((service) => {
    const queue = new Queue(`events-${service}`, { connection: { url: jobsUrl }, prefix: 'storefront' });
    queue.on('error', () => undefined);
    return queue;
  });
}

/**
 * Waits until no event is on its way any more: no row in an outbox, no job that waits or is worked on. Notes what never
 * ends, a row that grew older than a minute, and jobs that failed.
 *
 * @returns the milliseconds that it took
 */
export async function untilSettled(database: pg.Client, queues: readonly Queue[], notes: Notes): Promise<number> {
  const since = performance.now();
  const old = new Set<string>();
  for (;;) {
    const { rows } = await database.query<Outbox>(outboxes);
    for (const { schema, age } of rows) if (age > 60) old.add(schema);
    const jobs = await Promise.all(
      queues.map(async (queue) => ({ queue, counts: await queue.getJobCounts(...unfinished) })),
    );
    const left = [
      ...rows.filter(({ count }) => count > 0).map(({ schema, count }) => `${count} events in the outbox of ${schema}`),
      ...jobs.flatMap(({ queue, counts }) =>
        Object.entries(counts).flatMap(([state, count]) =>
          count > 0 ? [`${count} ${state} jobs in ${queue.name}`] : [],
        ),
      ),
    ];
    const ms = performance.now() - since;
    if (left.length > 0 && ms < patienceMs) {
      await sleep(pauseMs);
      continue;
    }
    for (const what of left) notes.wrong(`still ${what} after ${Math.round(ms / 1000)} s`);
    for (const schema of old) notes.wrong(`an event in the outbox of ${schema} was older than a minute`);
    await noteFailed(queues, notes);
    return ms;
  }
}

async function noteFailed(queues: readonly Queue[], notes: Notes): Promise<void> {
  for (const queue of queues)
    for (const job of await queue.getFailed(0, 9))
      notes.wrong(`${job.name} in ${queue.name} failed: ${job.failedReason}`);
}
