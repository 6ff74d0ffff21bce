import { randomUUID } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type EventName, type EventPayload, events, subscriptions } from '#contracts';
import { traceparent } from '#observability';
import type { TableConstraints, Tx } from '#persistence';
import { currentCall } from '#request-queue';

/**
 * What woke the relays before the process itself did (`Relay.wake`): each commit waited for the one before it, because
 * notifications go into one queue in the order of commits, and woke the relays of all services. A favorite cost 1.6 times
 * as much, and a floor of plain `pg` served a third of the requests.
 */
const outboxWake: readonly string[] = [
  `create function outbox_wake() returns trigger language plpgsql as $$
   begin
     perform pg_notify('outbox_' || tg_table_schema, '');
     return null;
   end $$`,
  'create trigger outbox_wake after insert on outbox for each statement execute function outbox_wake()',
];

/**
 * A migration of a service that has its process wake its relay. A process of the version before is not woken any more, and
 * finds its events in its sweep.
 */
export abstract class WakeNoRelays implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger outbox_wake on outbox');
    await runner.query('drop function outbox_wake()');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of outboxWake) await runner.query(statement);
  }
}

/**
 * The statements that make the tables of this library in the current schema, for the first migration of a service.
 * They hold what is on its way only: a row of `outbox` lives until the relay has published it.
 */
export const outboxTables: readonly string[] = [
  `create table outbox (
     id uuid primary key,
     seq bigint generated always as identity,
     name text not null,
     version integer not null,
     payload jsonb not null,
     metadata jsonb not null default '{}',
     occurred_at timestamptz not null default clock_timestamp(),
     claimed_until timestamptz not null default '-infinity',
     attempts integer not null default 0
   )`,
  // claimed_until is not indexed, so that a claim stays inside its page (a HOT update)
  'create index outbox_seq on outbox (seq)',
  ...outboxWake,
  `create table inbox (
     event_id uuid primary key,
     consumed_at timestamptz not null default clock_timestamp()
   )`,
  'create index inbox_consumed_at on inbox (consumed_at)',
];

/** The rules of these tables, for a migration of a service. */
export const outboxConstraints: TableConstraints = {
  outbox: {
    outbox_counts: 'check (version > 0 and attempts >= 0)',
    outbox_shapes: "check (jsonb_typeof(payload) = 'object' and jsonb_typeof(metadata) = 'object')",
  },
};

/** Request id and trace context of the running handler, which an event carries to its consumers. */
export function metadataOfCall(): Record<string, string> {
  const call = currentCall();
  if (!call) return {};
  const parent = traceparent() ?? call.traceparent;
  return { requestId: call.requestId, ...(parent !== undefined && { traceparent: parent }) };
}

/**
 * Writes an event into the outbox, in the transaction that makes it true: it is sent if and only if that transaction
 * commits. An event nobody listens to is not written.
 *
 * @param metadata defaults to request id and trace context of the running handler
 * @throws ZodError when the payload does not fit the event's definition: a defect of the caller, nothing is written
 */
export function appendEvent<Name extends EventName>(
  tx: Tx,
  name: Name,
  payload: EventPayload<Name>,
  metadata: Readonly<Record<string, string>> = metadataOfCall(),
): Promise<void> {
  return appendEvents(tx, name, [payload], metadata);
}

/** The same for many of one kind, in their order: one statement, however many. */
export async function appendEvents<Name extends EventName>(
  tx: Tx,
  name: Name,
  payloads: readonly EventPayload<Name>[],
  metadata: Readonly<Record<string, string>> = metadataOfCall(),
): Promise<void> {
  const { version, payload: schema } = events[name];
  const rows = payloads.map((payload) => ({ id: randomUUID(), payload: schema.parse(payload) }));
  if (rows.length === 0 || subscriptions[name].length === 0) return;
  await tx.query(
    `insert into outbox (id, name, version, payload, metadata)
     select (row ->> 'id')::uuid, $2, $3, row -> 'payload', $4
     from jsonb_array_elements($1::jsonb) with ordinality as rows (row, place) order by place`,
    [JSON.stringify(rows), name, version, JSON.stringify(metadata)],
  );
}

const intoOutbox = 'insert into outbox';

/**
 * Whether there may be an event in what was committed. Every transaction may have one; a single statement says it, and a
 * service that only listens would look into its outbox for each event that it consumes.
 */
export const mayHaveTold = (statement?: string): boolean => statement?.includes(intoOutbox) ?? true;

/** Where the values of an event in a statement come from, as pieces of it. */
interface EventSource<Name extends EventName> {
  readonly payload: Readonly<Record<keyof EventPayload<Name>, string>>;
  /** The parameter or column that is `metadataOfCall()` as JSON. */
  readonly metadata: string;
  /** One event for each of its rows. */
  readonly from: string;
}

/**
 * The same as a part of the statement that makes it true, where one round trip is to do all: `with told as (...)`. The
 * consumer is the first to compare the payload with the event's definition.
 */
export function insertOfEvent<Name extends EventName>(
  name: Name,
  { payload, metadata, from }: EventSource<Name>,
): string {
  const members = Object.entries<string>(payload).map(([member, value]) => `'${member}', ${value}`);
  return `${intoOutbox} (id, name, version, payload, metadata)
    select gen_random_uuid(), '${name}', ${events[name].version}, jsonb_build_object(${members.join(', ')}), ${metadata}::jsonb
    from ${from} where ${subscriptions[name].length > 0}`;
}
