import { randomUUID } from 'node:crypto';
import { type EventName, type EventPayload, events, type ServiceName, subscriptions } from '#contracts';
import { schemaOf, type TableConstraints, type Tx } from '#persistence';
import { currentCall } from '#request-queue';

/** The channel on which PostgreSQL wakes the relays of a service. The trigger below builds the same name. */
export const outboxChannel = (service: ServiceName): string => `outbox_${schemaOf(service)}`;

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
  `create function outbox_wake() returns trigger language plpgsql as $$
   begin
     perform pg_notify('outbox_' || tg_table_schema, '');
     return null;
   end $$`,
  'create trigger outbox_wake after insert on outbox for each statement execute function outbox_wake()',
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

/** Request id and trace context of the running handler, which the event carries to its consumers. */
function metadataOfCall(): Record<string, string> {
  const call = currentCall();
  if (!call) return {};
  return { requestId: call.requestId, ...(call.traceparent && { traceparent: call.traceparent }) };
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
