import type { QueryRunner } from 'typeorm';
import { outboxConstraints, outboxTables, WakeNoRelays } from '#events';
import { idempotencyConstraints, idempotencyTables, renameIdempotencyConstraint } from '#idempotency';
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
  // A read that orders by this expression can only use these indexes. With `position` PostgreSQL
  // also chose the primary key or the first index and filtered 1,000,000 rows for a rare type
  'create index events_of_user on events (user_id, (position + 0))',
  'create index events_of_type on events (user_id, type, (position + 0))',

  // Highest deleted position. A cursor before it may have missed events
  `create table deleted_events (
    singleton boolean primary key default true,
    position  bigint not null,
    constraint deleted_events_singleton check (singleton)
  )`,
  'insert into deleted_events (position) values (0)',

  // Last change of each resource, such as material:12. Updated in place (HOT). The row of an
  // existing resource is not deleted, because the next change needs its revision
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
    ended       jsonb not null,
    type        text not null,
    copies      jsonb not null,
    metadata    jsonb not null,
    occurred_at timestamptz not null,
    arrived_at  timestamptz not null default clock_timestamp()
  )`,
  'create index early_events_resource on early_events (resource, revision)',
];

const deliveryTables = [
  // Without an application, the endpoint receives the events of its user; with one, those of all
  // users with a consent to read. Empty types mean all types. Secrets: [{encrypted, expiresAt}]. A
  // deleted endpoint exists until its deliveries are deleted in batches
  `create table webhook_endpoints (
    id              bigint generated always as identity primary key,
    user_id         bigint not null,
    application_id  bigint,
    url             text not null,
    description     text not null,
    types           text[] not null default '{}',
    secrets         jsonb not null,
    status          text not null default 'enabled',
    disabled_reason text,
    failures        integer not null default 0,
    failing_since   timestamptz,
    open_until      timestamptz,
    created_at      timestamptz not null default now(),
    updated_at      timestamptz not null default now(),
    deleted_at      timestamptz
  ) with (fillfactor = 80)`,
  'create index webhook_endpoints_user on webhook_endpoints (user_id, id)',
  `create index webhook_endpoints_application on webhook_endpoints (application_id) where application_id is not null`,
  'create index webhook_endpoints_deleted on webhook_endpoints (id) where deleted_at is not null',

  // claimed_until is the lease of the attempt in progress. Deleting an event finds its deliveries
  // with the unique constraint
  `create table webhook_deliveries (
    id              bigint generated always as identity primary key,
    endpoint_id     bigint not null,
    position        bigint not null,
    status          text not null default 'pending',
    attempts        integer not null default 0,
    schedule_step   integer not null default 0,
    next_attempt_at timestamptz default now(),
    claimed_until   timestamptz,
    created_at      timestamptz not null default now(),
    constraint webhook_deliveries_unique unique (position, endpoint_id)
  ) with (fillfactor = 80)`,
  'create index webhook_deliveries_endpoint on webhook_deliveries (endpoint_id, id)',
  `create index webhook_deliveries_failed on webhook_deliveries (endpoint_id, id) where status = 'failed'`,
  `create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at) where status = 'pending'`,
  `create index webhook_deliveries_claimed on webhook_deliveries (endpoint_id) where claimed_until is not null`,

  `create table webhook_attempts (
    delivery_id     bigint not null,
    number          integer not null,
    started_at      timestamptz not null,
    duration_ms     integer not null,
    status_code     integer,
    error           text,
    next_attempt_at timestamptz,
    constraint webhook_attempts_pkey primary key (delivery_id, number)
  )`,
];

/**
 * Writes a copy for each user who may see the event, and its deliveries to the endpoints of the
 * user and of the applications that may read as the user. A copy of a deleted user is omitted. The
 * id of a further copy is a UUID of version 8, the same for each append of the event. Ended
 * resources without a row get one, because their own events may arrive later. plpgsql plans the
 * statement once per connection, SQL functions at each call
 */
export const writeEvent = `create function write_event(event uuid, at timestamptz, event_type text, event_sequence integer, ended jsonb, copies jsonb, trace jsonb)
 returns void language plpgsql as $$
 begin
   with written as (
     insert into events (event_id, user_id, type, sequence, data, metadata, occurred_at)
     select case number when 1 then event else
         overlay(overlay(md5(event || (copy ->> 'userId')) placing '8' from 13) placing '8' from 17)::uuid
       end, (copy ->> 'userId')::bigint, event_type, event_sequence, copy -> 'data', trace, at
     from jsonb_array_elements(copies) with ordinality each (copy, number) where lock_user((copy ->> 'userId')::bigint)
     returning events.position, events.user_id
   ), receiving as (
     select w.position, e.id, e.status, e.types
     from written w join webhook_endpoints e on e.user_id = w.user_id and e.application_id is null
     union all
     select w.position, e.id, e.status, e.types
     from written w join accounts.consents c on c.user_id = w.user_id and 'read' = any(c.scopes)
       join webhook_endpoints e on e.application_id = c.application_id
   )
   insert into webhook_deliveries (endpoint_id, position)
   select r.id, r.position from receiving r
   where r.status = 'enabled' and (r.types = '{}' or event_type = any(r.types));
   insert into resources (resource, revision, sequence, ended_at)
   select name, 0, 0, now() from jsonb_array_elements_text(ended) name
   on conflict (resource) do update set ended_at = excluded.ended_at;
 end $$`;

/**
 * Claims due deliveries: at most per_endpoint in progress for each endpoint, one after a failure,
 * none while its circuit breaker is open. An endpoint gets a second one only while fewer than
 * shared are in progress at all endpoints, so that hanging endpoints leave room for the first one
 * of others. Calls run one at a time, so that each counts the claims of the calls before it. A
 * loose index scan finds the endpoints with pending deliveries
 */
export const claimDeliveries = `create function claim_deliveries(per_endpoint integer, shared integer, total integer, lease interval)
 returns table (delivery bigint, attempt integer) language plpgsql as $$
 declare at timestamptz;
 begin
   perform pg_advisory_xact_lock(hashtextextended(current_schema() || ' webhook deliveries', 0));
   at := clock_timestamp();
   return query
   with recursive waiting as (
     (select endpoint_id from webhook_deliveries where status = 'pending' order by endpoint_id limit 1)
     union all
     select (select d.endpoint_id from webhook_deliveries d
             where d.status = 'pending' and d.endpoint_id > w.endpoint_id order by d.endpoint_id limit 1)
     from waiting w where w.endpoint_id is not null
   ), ready as (
     select e.id, e.failures, claimed.count from waiting w join webhook_endpoints e on e.id = w.endpoint_id
     cross join lateral (
       select count(*)::integer from webhook_deliveries d where d.endpoint_id = e.id and d.claimed_until > at
     ) claimed
     where e.status = 'enabled' and (e.open_until is null or e.open_until <= at)
   ), first as (
     select found.id from ready cross join lateral (
       select d.id from webhook_deliveries d
       where d.endpoint_id = ready.id and d.status = 'pending' and d.next_attempt_at <= at
         and (d.claimed_until is null or d.claimed_until <= at)
       order by d.next_attempt_at limit 1
     ) found
     where ready.count = 0 limit total
   ), further as (
     select found.id from ready cross join lateral (
       select d.id from webhook_deliveries d
       where d.endpoint_id = ready.id and d.status = 'pending' and d.next_attempt_at <= at
         and (d.claimed_until is null or d.claimed_until <= at)
       order by d.next_attempt_at offset (ready.count = 0)::integer limit per_endpoint - greatest(ready.count, 1)
     ) found
     where ready.failures = 0 and ready.count < per_endpoint
     limit greatest(0, shared - (select count(*) from first)
       - (select count(*) from webhook_deliveries d where d.claimed_until > at))
   )
   update webhook_deliveries d set claimed_until = at + lease
   from (select id from first union all select id from further) due
   where d.id = due.id and d.status = 'pending' returning d.id, d.attempts + 1;
 end $$`;

const functions = [
  writeEvent,

  claimDeliveries,

  // Returns the sequence of the event; null for an event that must wait for an earlier one. Every
  // caller holds the lock of the log, so that the row of the resource does not change in between
  `create function next_sequence(of_resource text, event_revision integer, follows boolean)
   returns integer language plpgsql as $$
   declare assigned integer;
   begin
     update resources set
       sequence = sequence + 1,
       revision = case when follows then revision else greatest(revision, event_revision) end
     where resource = of_resource
       and (event_revision is null or event_revision <= revision + (not follows)::integer)
     returning sequence into assigned;
     if found then return assigned; end if;
     if follows or event_revision > 1 then return null; end if;
     insert into resources (resource, revision, sequence) values (of_resource, coalesce(event_revision, 0), 1)
     on conflict do nothing returning sequence into assigned;
     return assigned;
   end $$`,

  // Appends the waiting events of a resource that follow the last appended one. Returns their
  // number
  `create function append_waiting(of_resource text) returns integer language plpgsql as $$
   declare early early_events; assigned integer; total integer := 0;
   begin
     loop
       select * into early from early_events where resource = of_resource order by revision, follows limit 1;
       exit when not found;
       assigned := next_sequence(of_resource, early.revision, early.follows);
       exit when assigned is null;
       delete from early_events where event_id = early.event_id;
       perform write_event(early.event_id, early.occurred_at, early.type, assigned, early.ended, early.copies,
         early.metadata);
       total := total + 1;
     end loop;
     return total;
   end $$`,

  // Appends an event with the next sequence of its resource. An event that must wait for an earlier
  // one is stored as an early event. Without a resource (null) the sequence is 1
  `create function append_event(event uuid, at timestamptz, event_type text, of_resource text, event_revision integer,
     follows boolean, ended jsonb, copies jsonb, trace jsonb) returns void language plpgsql as $$
   declare assigned integer := 1;
   begin
     perform lock_event_log();
     if of_resource is not null then
       assigned := next_sequence(of_resource, event_revision, follows);
     end if;
     if assigned is null then
       insert into early_events (event_id, resource, revision, follows, ended, type, copies, metadata, occurred_at)
       values (event, of_resource, event_revision, follows, ended, event_type, copies, trace, at);
       return;
     end if;
     perform write_event(event, at, event_type, assigned, ended, copies, trace);
     if of_resource is not null then perform append_waiting(of_resource); end if;
   end $$`,

  `create function lock_event_log() returns void language sql as $$
     select pg_advisory_xact_lock(hashtextextended(current_schema() || ' event log', 0))
   $$`,

  // Appends events that have waited for an earlier event longer than `waited`, without it. Returns
  // the number of appended events. Later events of the resource may still wait for another one
  `create function append_overdue(waited interval) returns integer language plpgsql as $$
   declare overdue record; total integer := 0;
   begin
     perform lock_event_log();
     for overdue in
       select resource, min(revision - (not follows)::integer) as revision from early_events
       where resource in (select resource from early_events where arrived_at < now() - waited) group by resource
     loop
       insert into resources (resource, revision, sequence) values (overdue.resource, overdue.revision, 0)
       on conflict (resource) do update set revision = greatest(resources.revision, excluded.revision);
       total := total + append_waiting(overdue.resource);
     end loop;
     return total;
   end $$`,
];

const rules: TableConstraints = {
  ...outboxConstraints,
  ...idempotencyConstraints,
  events: {
    events_user: 'check (user_id > 0)',
    events_sequence: 'check (sequence > 0)',
    events_shapes: "check (jsonb_typeof(data) = 'object' and jsonb_typeof(metadata) = 'object')",
    events_size: 'check (pg_column_size(data) <= 20480)',
  },
  resources: { resources_counts: 'check (revision >= 0 and sequence >= 0)' },
  early_events: {
    early_events_revision: 'check (revision > 0)',
    early_events_ended: "check (jsonb_typeof(ended) = 'array')",
  },
  webhook_endpoints: {
    webhook_endpoints_user: 'check (user_id > 0)',
    webhook_endpoints_url: "check (url ~ '^https?://' and length(url) <= 2048)",
    webhook_endpoints_description: 'check (length(description) <= 255)',
    webhook_endpoints_secrets:
      "check (jsonb_typeof(secrets) = 'array' and jsonb_array_length(secrets) between 1 and 4)",
    webhook_endpoints_status: "check (status in ('enabled', 'paused', 'disabled'))",
    webhook_endpoints_disabled: "check ((status = 'disabled') = (disabled_reason is not null))",
    webhook_endpoints_disabled_reason: "check (disabled_reason in ('failures', 'status-410'))",
    webhook_endpoints_failures: 'check (failures >= 0 and (failures > 0) = (failing_since is not null))',
    webhook_endpoints_deleted: "check (deleted_at is null or status = 'paused')",
    webhook_endpoints_open: 'check (open_until is null or failures > 0)',
  },
  webhook_deliveries: {
    webhook_deliveries_endpoint_fk: 'foreign key (endpoint_id) references webhook_endpoints on delete cascade',
    webhook_deliveries_event_fk: 'foreign key (position) references events on delete cascade',
    webhook_deliveries_status: "check (status in ('pending', 'succeeded', 'failed', 'cancelled'))",
    webhook_deliveries_pending: "check ((status = 'pending') = (next_attempt_at is not null))",
    webhook_deliveries_claimed: "check (claimed_until is null or status = 'pending')",
    webhook_deliveries_counts: 'check (attempts >= 0 and schedule_step between 0 and attempts)',
  },
  webhook_attempts: {
    webhook_attempts_delivery_fk: 'foreign key (delivery_id) references webhook_deliveries on delete cascade',
    webhook_attempts_counts: 'check (number > 0 and duration_ms >= 0)',
    webhook_attempts_status_code: 'check (status_code between 100 and 599)',
    webhook_attempts_outcome: 'check (status_code is not null or error is not null)',
    webhook_attempts_error: `check (error in ('address-not-allowed', 'connection-refused', 'dns', 'protocol', 'redirect',
      'reset', 'status', 'timeout', 'tls', 'too-large', 'unreachable'))`,
  },
};

/**
 * Tables of this service, outbox, inbox and idempotency keys. `outboxTables` has the statements of
 * the first version: `WakeNoRelays` drops their trigger, which notified relays.
 */
export class CreateWebhooks extends WakeNoRelays {
  readonly name = 'CreateWebhooks1795539560000';

  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of [
      ...outboxTables,
      ...idempotencyTables,
      renameIdempotencyConstraint,
      ...deletedUsersTables,
      ...tables,
      ...deliveryTables,
      ...functions,
    ])
      await runner.query(statement);
    await addConstraints(runner, rules);
    await super.up(runner);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function claim_deliveries(integer, integer, integer, interval), append_overdue(interval), append_event(uuid, timestamptz, text, text, integer, boolean,
      jsonb, jsonb, jsonb), append_waiting(text), next_sequence(text, integer, boolean),
      write_event(uuid, timestamptz, text, integer, jsonb, jsonb, jsonb), lock_event_log()`);
    await runner.query('drop table webhook_attempts, webhook_deliveries, webhook_endpoints');
    await runner.query('drop table early_events, resources, deleted_events, events, outbox, inbox, idempotency_keys');
    for (const statement of dropDeletedUsersTables) await runner.query(statement);
  }
}
