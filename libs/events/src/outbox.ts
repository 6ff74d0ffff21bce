import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type EventName, type EventPayload, events, subscriptions } from '#contracts';
import { traceparent } from '#observability';
import type { TableConstraints, Tx } from '#persistence';
import { currentCall } from '#request-queue';

/**
 * Trigger that woke the relays before `Relay.wake` existed. Each commit waited for the previous
 * commit, because PostgreSQL queues notifications in commit order, and each notification woke the
 * server processes of the listening connections of all services. A favorite cost 1.6 times as much,
 * and a minimal server with plain `pg` served a third of the requests.
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
 * Migration that drops the trigger, because each process wakes its own relay. A relay of the
 * previous version is no longer woken and finds its events in its sweep.
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
 * Migration that leaves more than half of each page of the outbox empty, so that the claim of a row
 * finds space in its page and changes no index. With full pages only 600 of 3,800 claims were HOT
 * updates, and a favorite wrote a quarter more to the log of PostgreSQL. For services with frequent
 * events.
 */
export abstract class LeaveRoomForClaims implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table outbox set (fillfactor = 45)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table outbox reset (fillfactor)');
  }
}

/**
 * Statements that create the tables of this library in the current schema, for the first migration
 * of a service. A row of `outbox` exists only until the relay has published it.
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
  // No index on claimed_until, so that a claim is a HOT update within its page, if it has space:
  // see `LeaveRoomForClaims`
  'create index outbox_seq on outbox (seq)',
  ...outboxWake,
  `create table inbox (
     event_id uuid primary key,
     consumed_at timestamptz not null default clock_timestamp()
   )`,
  'create index inbox_consumed_at on inbox (consumed_at)',
];

/** Constraints of the tables, for a migration of a service. */
export const outboxConstraints: TableConstraints = {
  outbox: {
    outbox_counts: 'check (version > 0 and attempts >= 0)',
    outbox_shapes: "check (jsonb_typeof(payload) = 'object' and jsonb_typeof(metadata) = 'object')",
  },
};

/** Returns request id and trace context of the running handler, for the metadata of its events. */
export function metadataOfCall(): Record<string, string> {
  const call = currentCall();
  if (!call) return {};
  const parent = traceparent() ?? call.traceparent;
  return { requestId: call.requestId, ...(parent !== undefined && { traceparent: parent }) };
}

/**
 * Writes an event to the outbox in the transaction of the change: it is published if and only if
 * the transaction commits. An event without subscribers is not written.
 *
 * @param metadata defaults to request id and trace context of the running handler
 * @throws ZodError when the payload does not match the event's definition; nothing is written
 */
export function appendEvent<Name extends EventName>(
  tx: Tx,
  name: Name,
  payload: EventPayload<Name>,
  metadata: Readonly<Record<string, string>> = metadataOfCall(),
): Promise<void> {
  return appendEvents(tx, name, [payload], metadata);
}

/** Writes events of one name to the outbox, in their order, with one statement. */
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

const outboxInsert = 'insert into outbox';

/**
 * Returns false for a committed statement without the text `insert into outbox`, so that consuming
 * events with `onceCalling`, one statement, does not make a service read its outbox. After a call
 * of a function that appends events, use `OutboxSignal`. Returns true for every transaction,
 * because its statements are not passed.
 */
export const mayAppendEvent = (statement?: string): boolean => statement?.includes(outboxInsert) ?? true;

/**
 * Wakes the relay of this process for events whose commit does not wake it (`mayAppendEvent`):
 * those that a database function appends.
 */
@Injectable()
export class OutboxSignal {
  private wakeRelay: (() => void) | undefined;

  onAppended(wakeRelay: () => void): void {
    this.wakeRelay = wakeRelay;
  }

  /** Call it after the commit. */
  appended(): void {
    this.wakeRelay?.();
  }
}

/** SQL fragments for the values of an event. */
interface EventSource<Name extends EventName> {
  readonly payload: { readonly [Member in keyof EventPayload<Name>]: string };
  /** Parameter or column that contains `metadataOfCall()` as JSON. */
  readonly metadata: string;
  /** Item of a FROM clause; one event is inserted for each of its rows. */
  readonly from: string;
}

/**
 * Returns an INSERT into the outbox for a common table expression of the statement that makes the
 * change, to save a round trip: `with appended as (...)`. The payload is not validated until a
 * consumer receives it.
 */
export function insertOfEvent<Name extends EventName>(
  name: Name,
  { payload, metadata, from }: EventSource<Name>,
): string {
  const members = Object.entries<string>(payload).map(([member, value]) => `'${member}', ${value}`);
  return `${outboxInsert} (id, name, version, payload, metadata)
    select gen_random_uuid(), '${name}', ${events[name].version}, jsonb_build_object(${members.join(', ')}), ${metadata}::jsonb
    from ${from} where ${subscriptions[name].length > 0}`;
}
