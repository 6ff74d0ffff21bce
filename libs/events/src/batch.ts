import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type EventEnvelope, gatheredEvents } from '#contracts';

/**
 * More of them cost less each, but little: a job is paid for by 50 already. The consumer's statement holds the locks of all
 * of them until it ends, and PostgreSQL has room for some thousand.
 */
const eventsAtMost = 50;

/**
 * Several events of one name as one job. It has the shape of an event that no version knows, so that a process of the
 * version before batches puts it back for one that takes it apart.
 */
interface EventBatch {
  readonly id: string;
  readonly name: 'batch';
  readonly version: 1;
  readonly occurredAt: string;
  readonly payload: { readonly events: readonly EventEnvelope[] };
  readonly metadata: Readonly<Record<string, string>>;
}

/** What a job is made of: its name is the event's, its id that of its data. */
export interface EventJob {
  readonly name: string;
  readonly data: EventEnvelope | EventBatch;
}

/** The same events have the same id, so that a second publication of them is refused. A UUID of version 8: of our own making. */
function idOf(events: readonly EventEnvelope[]): string {
  const hash = createHash('sha256');
  for (const { id } of events) hash.update(id);
  const hex = hash.digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

const batchOf = (events: readonly EventEnvelope[]): EventBatch => ({
  id: idOf(events),
  name: 'batch',
  version: 1,
  occurredAt: events[0]!.occurredAt,
  payload: { events },
  metadata: {},
});

/** The jobs of events in their order; those that travel together are where the first of them is. */
export function jobsOf(events: readonly EventEnvelope[]): EventJob[] {
  const groups: EventEnvelope[][] = [];
  const open = new Map<string, EventEnvelope[]>();
  for (const event of events) {
    const group = open.get(event.name);
    if (group !== undefined && group.length < eventsAtMost) {
      group.push(event);
      continue;
    }
    const begun = [event];
    groups.push(begun);
    if (gatheredEvents.has(event.name)) open.set(event.name, begun);
  }
  return groups.map((group) => ({
    name: group[0]!.name,
    data: group.length === 1 ? group[0]! : batchOf(group),
  }));
}

const Batch = z.object({
  name: z.literal('batch'),
  version: z.literal(1),
  payload: z.object({ events: z.array(z.looseObject({ id: z.uuid() })).min(1) }),
});

/** An event of a batch: whether it is one of those that are known is not looked at here. */
export type Gathered = z.output<typeof Batch>['payload']['events'][number];

/** The events of a batch, or undefined when the job is one event, or a batch as only a newer version makes them. */
export function eventsOfBatch(data: unknown): readonly Gathered[] | undefined {
  if ((data as { readonly name?: unknown } | null)?.name !== 'batch') return undefined;
  const batch = Batch.safeParse(data);
  return batch.success ? batch.data.payload.events : undefined;
}

/** What a batch has left over: events that go on alone, and those that met an outage and wait together. */
export interface Left {
  readonly alone: readonly Gathered[];
  readonly postponed: readonly Gathered[];
  readonly outage?: Error;
}
