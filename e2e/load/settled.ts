import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { QueueSnapshot, JobState, QueuedEvents } from '#events';
import type { Notes } from './notes.js';
import { OutboxAges, readOutboxes } from './outboxes.js';

/** Timeout of background work after the last write, and polling interval. */
const timeoutMs = 120_000;
const pauseMs = 100;
/**
 * Consecutive readings without work after which nothing is left. A reading reads the outboxes,
 * then the queues. It misses an event that a consumer commits after the outboxes were read, if the
 * consumer's job ends before the queues are read. Two readings in a row can each miss one:
 * `material.rendered`, then `activity.created`, which has no consumer that appends another.
 */
const readingsWithoutWork = 3;

const unfinished: readonly JobState[] = ['waiting', 'active'];
/** Excludes completed jobs. */
const never = new Date(8.64e15);

/**
 * Waits until all outboxes stay empty and no job is waiting or active, for at most 120 s. Notes the
 * work that remains then, outboxes with an event older than a minute, and failed jobs.
 *
 * @returns duration in milliseconds
 */
export async function untilSettled(database: pg.Client, queued: QueuedEvents, notes: Notes): Promise<number> {
  const since = performance.now();
  const ages = new OutboxAges();
  for (let settled = 0; ;) {
    const outboxes = await readOutboxes(database);
    ages.note(outboxes);
    const jobs = await queued.snapshot(never);
    const left = [
      ...outboxes
        .filter(({ count }) => count > 0)
        .map(({ schema, count }) => `${count} events in the outbox of ${schema}`),
      ...leftOf(jobs),
    ];
    const ms = performance.now() - since;
    settled = left.length > 0 ? 0 : settled + 1;
    if (settled < readingsWithoutWork && ms < timeoutMs) {
      await sleep(pauseMs);
      continue;
    }
    for (const what of left) notes.wrong(`still ${what} after ${Math.round(ms / 1000)} s`);
    for (const complaint of ages.findings) notes.wrong(complaint);
    await noteFailed(queued, jobs, notes);
    return ms;
  }
}

const leftOf = (jobs: QueueSnapshot): string[] =>
  [...jobs].flatMap(([service, states]) =>
    unfinished.flatMap((state) => {
      const count = states.get(state)!.length;
      return count > 0 ? [`${count} ${state} jobs of ${service}`] : [];
    }),
  );

async function noteFailed(queued: QueuedEvents, jobs: QueueSnapshot, notes: Notes): Promise<void> {
  for await (const { subscriber, state, event, reason } of queued.events(jobs))
    if (state === 'failed') notes.wrong(`${event.name} failed at ${subscriber}: ${reason ?? 'no reason'}`);
}
