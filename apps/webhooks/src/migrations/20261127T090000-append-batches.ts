import type { MigrationInterface, QueryRunner } from 'typeorm';
import { writeEvent } from './20261124T165920-create-webhooks.js';

const functions = [
  // Writes numbered events: [{id, at, type, sequence, ended, copies, trace}]. Each gets a copy for
  // each user who may see it, and deliveries to the endpoints of the user and of the applications
  // that may read as the user. A copy of a deleted user is omitted. The id of a further copy is a
  // UUID of version 8, the same for each append of the event. Ended resources without a row get
  // one, because their own events may arrive later
  `create function write_events(numbered jsonb) returns void language plpgsql as $$
   begin
     with written as (
       insert into events (event_id, user_id, type, sequence, data, metadata, occurred_at)
       select case number when 1 then id else
           overlay(overlay(md5(id || (copy ->> 'userId')) placing '8' from 13) placing '8' from 17)::uuid
         end, (copy ->> 'userId')::bigint, type, sequence, copy -> 'data', trace, at
       from rows from (jsonb_to_recordset(numbered) as
           (id uuid, at timestamptz, type text, sequence integer, copies jsonb, trace jsonb)) with ordinality
           as event (id, at, type, sequence, copies, trace, place)
         cross join lateral jsonb_array_elements(copies) with ordinality each (copy, number)
       where lock_user((copy ->> 'userId')::bigint) order by place, number
       returning events.position, events.user_id, events.type
     ), receiving as (
       select w.position, w.type, e.id, e.status, e.types
       from written w join webhook_endpoints e on e.user_id = w.user_id and e.application_id is null
       union all
       select w.position, w.type, e.id, e.status, e.types
       from written w join accounts.consents c on c.user_id = w.user_id and 'read' = any(c.scopes)
         join webhook_endpoints e on e.application_id = c.application_id
     )
     insert into webhook_deliveries (endpoint_id, position)
     select r.id, r.position from receiving r
     where r.status = 'enabled' and (r.types = '{}' or r.type = any(r.types));
     if numbered @? '$[*].ended[*]' then
       insert into resources (resource, revision, sequence, ended_at)
       select distinct name #>> '{}', 0, 0, now() from jsonb_path_query(numbered, '$[*].ended[*]') name
       on conflict (resource) do update set ended_at = excluded.ended_at;
     end if;
   end $$`,

  // Appends events: [[id, at, {type, resource, revision, follows, ended, copies, trace}]]. Those
  // that need no earlier event, and whose resource has no other event in the batch, are written
  // together, the others one by one
  `create function append_events(batch jsonb) returns void language plpgsql as $$
   declare numbered jsonb; remaining jsonb; early text; next jsonb;
   begin
     perform lock_event_log();
     with given as materialized (
       select place, content || jsonb_build_object('id', id, 'at', at) as entry, content ->> 'resource' as resource,
         (content ->> 'revision')::integer as revision, (content ->> 'follows')::boolean as follows,
         count(*) over (partition by content ->> 'resource') as of_resource
       from (
         select place, element -> 0 as id, element -> 1 as at, element -> 2 as content
         from jsonb_array_elements(batch) with ordinality as elements (element, place)
       ) elements
     ), single as (
       select * from given where resource is not null and of_resource = 1
     ), changed as (
       update resources r set
         sequence = r.sequence + 1,
         revision = case when s.follows then r.revision else greatest(r.revision, s.revision) end
       from single s
       where r.resource = s.resource and (s.revision is null or s.revision <= r.revision + (not s.follows)::integer)
       returning r.resource, r.sequence
     ), added as (
       insert into resources (resource, revision, sequence)
       select resource, coalesce(revision, 0), 1 from single where not follows and coalesce(revision, 1) = 1
       on conflict do nothing returning resources.resource, sequence
     ), assigned as (
       select place, entry, 1 as sequence from given where resource is null
       union all
       select place, entry, sequence from single join (table changed union all table added) known using (resource)
     )
     select jsonb_agg(a.entry || jsonb_build_object('sequence', a.sequence) order by place) filter (where a.place is not null),
       jsonb_agg(g.entry order by place) filter (where a.place is null)
     into numbered, remaining from given g left join assigned a using (place);
     if numbered is not null then
       perform write_events(numbered);
       for early in
         select distinct resource from early_events
         where resource in (select element ->> 'resource' from jsonb_array_elements(numbered) element)
       loop
         perform append_waiting(early);
       end loop;
     end if;
     for next in select element from jsonb_array_elements(remaining) element loop
       perform append_event((next ->> 'id')::uuid, (next ->> 'at')::timestamptz, next ->> 'type', next ->> 'resource',
         (next ->> 'revision')::integer, (next ->> 'follows')::boolean, next -> 'ended', next -> 'copies', next -> 'trace');
     end loop;
   end $$`,
];

const dropWriteEvent = 'drop function write_event(uuid, timestamptz, text, integer, jsonb, jsonb, jsonb)';

/** Writes one event. `append_event` and `append_waiting` call it. */
const writeEventWithOthers = `create function write_event(event uuid, at timestamptz, event_type text, event_sequence integer, ended jsonb,
   copies jsonb, trace jsonb) returns void language plpgsql as $$
 begin
   perform write_events(jsonb_build_array(jsonb_build_object('id', event, 'at', at, 'type', event_type,
     'sequence', event_sequence, 'ended', ended, 'copies', copies, 'trace', trace)));
 end $$`;

/**
 * Appends the events of a batch with a few statements instead of several for each event. App
 * versions before it call `append_event` during an upgrade.
 */
export class AppendBatches implements MigrationInterface {
  readonly name = 'AppendBatches1795770000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [dropWriteEvent, ...functions, writeEventWithOthers]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function append_events(jsonb), write_events(jsonb)');
    for (const statement of [dropWriteEvent, writeEvent]) await runner.query(statement);
  }
}
