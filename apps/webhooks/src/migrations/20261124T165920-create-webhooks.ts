import type { QueryRunner } from 'typeorm';
import { outboxConstraints, outboxTables, WakeNoRelays } from '#events';
import { addConstraints, deletedUsersTables, dropDeletedUsersTables, type TableConstraints } from '#persistence';

/**
 * The event log. `position` is the order of commits, because every append holds the lock of the log
 * until it commits: a reader that sees a position also sees all lower ones, so that a cursor skips
 * nothing.
 */
const tables = [
  `create table events (
    position    bigint generated always as identity primary key,
    event_id    uuid not null,
    user_id     bigint not null,
    type        text not null,
    sequence    integer not null,
    data        jsonb not null,
    metadata    jsonb not null,
    occurred_at timestamptz not null,
    logged_at   timestamptz not null default clock_timestamp()
  )`,
  'create index events_of_user on events (user_id, position)',
  'create index events_of_type on events (user_id, type, position)',

  // Highest deleted position. A cursor before it may have missed events
  `create table deleted_events (
    singleton boolean primary key default true,
    position  bigint not null,
    constraint deleted_events_singleton check (singleton)
  )`,
  'insert into deleted_events (position) values (0)',

  // Last change of each resource, such as material:12. Updated in place (HOT)
  `create table resources (
    resource text primary key,
    revision integer not null,
    sequence integer not null,
    ended_at timestamptz
  ) with (fillfactor = 80)`,
  'create index resources_ended on resources (ended_at) where ended_at is not null',

  // Events that have arrived before an earlier event of their resource
  `create table early_events (
    event_id    uuid primary key,
    resource    text not null,
    revision    integer not null,
    follows     boolean not null,
    ends        boolean not null,
    type        text not null,
    copies      jsonb not null,
    metadata    jsonb not null,
    occurred_at timestamptz not null,
    arrived_at  timestamptz not null default clock_timestamp()
  )`,
  'create index early_events_resource on early_events (resource, revision)',
];

const functions = [
  // Writes a copy for each user who may see the event. A copy of a deleted user is omitted
  `create function write_event(event uuid, at timestamptz, event_type text, event_sequence integer, copies jsonb, trace jsonb)
   returns void language sql as $$
     insert into events (event_id, user_id, type, sequence, data, metadata, occurred_at)
     select event, (copy ->> 'userId')::bigint, event_type, event_sequence, copy -> 'data', trace, at
     from jsonb_array_elements(copies) copy where lock_user((copy ->> 'userId')::bigint)
   $$`,

  // Returns the sequence of the event; null for an event that must wait for an earlier one. Every
  // caller holds the lock of the log, so that the row of the resource does not change in between
  `create function next_sequence(of_resource text, event_revision integer, follows boolean, ends boolean)
   returns integer language plpgsql as $$
   declare assigned integer;
   begin
     update resources set
       sequence = sequence + 1,
       revision = case when follows then revision else greatest(revision, event_revision) end,
       ended_at = case when ends then now() else ended_at end
     where resource = of_resource
       and (event_revision is null or event_revision <= revision + (not follows)::integer)
     returning sequence into assigned;
     if found then return assigned; end if;
     if follows or event_revision > 1 then return null; end if;
     insert into resources (resource, revision, sequence, ended_at)
     values (of_resource, coalesce(event_revision, 0), 1, case when ends then now() end)
     on conflict do nothing returning sequence into assigned;
     return assigned;
   end $$`,

  // Appends the events of a resource that have waited for the last appended one
  `create function append_waiting(of_resource text) returns void language plpgsql as $$
   declare early early_events; assigned integer;
   begin
     loop
       select * into early from early_events where resource = of_resource order by revision, follows limit 1;
       exit when not found;
       assigned := next_sequence(of_resource, early.revision, early.follows, early.ends);
       exit when assigned is null;
       delete from early_events where event_id = early.event_id;
       perform write_event(early.event_id, early.occurred_at, early.type, assigned, early.copies, early.metadata);
     end loop;
   end $$`,

  // A resource of null has this event only
  `create function append_event(event uuid, at timestamptz, event_type text, of_resource text, event_revision integer,
     follows boolean, ends boolean, copies jsonb, trace jsonb) returns void language plpgsql as $$
   declare assigned integer := 1;
   begin
     perform lock_event_log();
     if of_resource is not null then
       assigned := next_sequence(of_resource, event_revision, follows, ends);
     end if;
     if assigned is null then
       insert into early_events (event_id, resource, revision, follows, ends, type, copies, metadata, occurred_at)
       values (event, of_resource, event_revision, follows, ends, event_type, copies, trace, at);
       return;
     end if;
     perform write_event(event, at, event_type, assigned, copies, trace);
     if of_resource is not null then perform append_waiting(of_resource); end if;
   end $$`,

  `create function lock_event_log() returns void language sql as $$
     select pg_advisory_xact_lock(hashtextextended(current_schema() || ' event log', 0))
   $$`,

  // Appends events whose earlier event has not arrived for a time. Returns their number
  `create function append_overdue(waited interval) returns integer language plpgsql as $$
   declare overdue record; total integer := 0;
   begin
     perform lock_event_log();
     for overdue in
       select resource, min(revision - (not follows)::integer) as revision, count(*) as events from early_events
       where resource in (select resource from early_events where arrived_at < now() - waited) group by resource
     loop
       insert into resources (resource, revision, sequence) values (overdue.resource, overdue.revision, 0)
       on conflict (resource) do update set revision = greatest(resources.revision, excluded.revision);
       perform append_waiting(overdue.resource);
       total := total + overdue.events;
     end loop;
     return total;
   end $$`,
];

const rules: TableConstraints = {
  ...outboxConstraints,
  events: {
    events_user: 'check (user_id > 0)',
    events_sequence: 'check (sequence > 0)',
    events_shapes: "check (jsonb_typeof(data) = 'object' and jsonb_typeof(metadata) = 'object')",
    events_size: 'check (pg_column_size(data) <= 20480)',
  },
  resources: { resources_counts: 'check (revision >= 0 and sequence >= 0)' },
  early_events: { early_events_revision: 'check (revision > 0)' },
};

/**
 * Tables of this service, outbox and inbox. `WakeNoRelays` drops the trigger of older versions that
 * notified relays.
 */
export class CreateWebhooks extends WakeNoRelays {
  readonly name = 'CreateWebhooks1795539560000';

  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...outboxTables, ...deletedUsersTables, ...tables, ...functions])
      await runner.query(statement);
    await addConstraints(runner, rules);
    await super.up(runner);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function append_overdue(interval), append_event(uuid, timestamptz, text, text, integer, boolean,
      boolean, jsonb, jsonb), append_waiting(text), next_sequence(text, integer, boolean, boolean),
      write_event(uuid, timestamptz, text, integer, jsonb, jsonb), lock_event_log()`);
    await runner.query('drop table early_events, resources, deleted_events, events, outbox, inbox');
    for (const statement of dropDeletedUsersTables) await runner.query(statement);
  }
}
