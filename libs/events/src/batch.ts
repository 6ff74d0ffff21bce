import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type EventEnvelope, isBatched, type ServiceName, userInFairQueue } from '#contracts';

/**
 * Maximum size of a batch. Larger batches save little, because at 50 the cost of a job is already
 * spread. The statement of the consumer holds the locks of all events until it ends, and the lock
 * table of PostgreSQL has space for some thousand.
 */
const maxBatchEvents = 50;

/**
 * Events of one name as one job. A batch has the shape of an event that is unknown to all versions,
 * so that a process of a version without batches returns the job to the queue.
 */
interface EventBatch {
  readonly id: string;
  readonly name: 'batch';
  readonly version: 1;
  readonly occurredAt: string;
  readonly payload: { readonly events: readonly EventEnvelope[] };
  readonly metadata: Readonly<Record<string, string>>;
}

/** Name and data of a job. The name is the event's; `data.id` is the job's id. */
export interface EventJob {
  readonly name: string;
  readonly data: EventEnvelope | EventBatch;
  /** User whose turn the job takes in the fair queue; undefined if it bypasses that queue. */
  readonly user: number | undefined;
}

/**
 * Returns the id of a batch, a UUID of version 8 (custom). The id is derived from the ids of the
 * events, so that BullMQ ignores a batch that is published again.
 */
function batchIdOf(events: readonly EventEnvelope[]): string {
  const hash = createHash('sha256');
  for (const { id } of events) hash.update(id);
  const hex = hash.digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

const batchOf = (events: readonly EventEnvelope[]): EventBatch => ({
  id: batchIdOf(events),
  name: 'batch',
  version: 1,
  occurredAt: events[0]!.occurredAt,
  payload: { events },
  metadata: {},
});

/**
 * Returns the jobs of a subscriber in the order of the events. A batch has the position of its
 * first event. Events that may be batched bypass the fair queue, because they are consumed quickly.
 */
export function jobsOf(subscriber: ServiceName, events: readonly EventEnvelope[]): EventJob[] {
  const groups: EventEnvelope[][] = [];
  const openGroups = new Map<string, EventEnvelope[]>();
  for (const event of events) {
    const group = openGroups.get(event.name);
    if (group !== undefined && group.length < maxBatchEvents) {
      group.push(event);
      continue;
    }
    const newGroup = [event];
    groups.push(newGroup);
    if (isBatched(subscriber, event.name)) openGroups.set(event.name, newGroup);
  }
  return groups.map((group) => ({
    name: group[0]!.name,
    data: group.length === 1 ? group[0]! : batchOf(group),
    user: openGroups.has(group[0]!.name) ? undefined : userInFairQueue(group[0]!),
  }));
}

const Batch = z.object({
  name: z.literal('batch'),
  version: z.literal(1),
  payload: z.object({ events: z.array(z.looseObject({ id: z.uuid() })).min(1) }),
});

/** Event of a batch. Only its id is validated. */
export type BatchedEvent = z.output<typeof Batch>['payload']['events'][number];

/**
 * Returns the events of a batch; undefined for a single event or a batch in the format of a newer
 * version.
 */
export function eventsOfBatch(data: unknown): readonly BatchedEvent[] | undefined {
  if ((data as { readonly name?: unknown } | null)?.name !== 'batch') return undefined;
  const batch = Batch.safeParse(data);
  return batch.success ? batch.data.payload.events : undefined;
}

/** Unconsumed events of a batch. */
export interface BatchRemainder {
  /** Failed events, each of which is retried as a separate job. */
  readonly failed: readonly BatchedEvent[];
  /** Events that failed because of `outage`. They are retried as one batch. */
  readonly postponed: readonly BatchedEvent[];
  readonly outage?: Error;
}
