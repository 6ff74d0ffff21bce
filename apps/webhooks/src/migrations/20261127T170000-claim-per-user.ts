import type { MigrationInterface, QueryRunner } from 'typeorm';
import { claimDeliveries } from './20261124T165920-create-webhooks.js';

/**
 * The signature stays, because the version before calls the function during an upgrade. As before,
 * except that an endpoint gets a second attempt only while fewer than four times per_endpoint are
 * in progress at all endpoints of its user: otherwise many slow endpoints of few users take the
 * attempts of the others. The limit of each user stops the search for further deliveries early
 */
const claimPerUser = `create function claim_deliveries(per_endpoint integer, shared integer, total integer, lease interval)
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
     select e.id, e.user_id, e.failures, claimed.count from waiting w join webhook_endpoints e on e.id = w.endpoint_id
     cross join lateral (
       select count(*)::integer from webhook_deliveries d where d.endpoint_id = e.id and d.claimed_until > at
     ) claimed
     where e.status = 'enabled' and (e.open_until is null or e.open_until <= at)
   ), first as (
     select found.id, ready.user_id from ready cross join lateral (
       select d.id from webhook_deliveries d
       where d.endpoint_id = ready.id and d.status = 'pending' and d.next_attempt_at <= at
         and (d.claimed_until is null or d.claimed_until <= at)
       order by d.next_attempt_at limit 1
     ) found
     where ready.count = 0 limit total
   ), in_progress as (
     select attempts.user_id, count(*)::integer from (
       select e.user_id from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id where d.claimed_until > at
       union all select first.user_id from first
     ) attempts group by attempts.user_id
   ), users as (
     select r.user_id, array_agg(r.id order by r.count) as ids, array_agg(r.count order by r.count) as counts,
       4 * per_endpoint - coalesce(max(p.count), 0) as free
     from ready r left join in_progress p on p.user_id = r.user_id
     where r.failures = 0 and r.count < per_endpoint group by r.user_id
   ), further as (
     select found.id from users cross join lateral (
       select due.id from unnest(users.ids, users.counts) endpoint (id, count) cross join lateral (
         select d.id from webhook_deliveries d
         where d.endpoint_id = endpoint.id and d.status = 'pending' and d.next_attempt_at <= at
           and (d.claimed_until is null or d.claimed_until <= at)
         order by d.next_attempt_at offset (endpoint.count = 0)::integer limit per_endpoint - greatest(endpoint.count, 1)
       ) due limit greatest(0, users.free)
     ) found
     limit greatest(0, shared - (select coalesce(sum(p.count), 0)::integer from in_progress p))
   )
   update webhook_deliveries d set claimed_until = at + lease
   from (select first.id from first union all select further.id from further) due
   where d.id = due.id and d.status = 'pending' returning d.id, d.attempts + 1;
 end $$`;

const drop = 'drop function claim_deliveries(integer, integer, integer, interval)';

/** Limits the attempts in progress at all endpoints of a user. */
export class ClaimPerUser implements MigrationInterface {
  readonly name = 'ClaimPerUser1795798800000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [drop, claimPerUser]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of [drop, claimDeliveries]) await runner.query(statement);
  }
}
