import type { MigrationInterface, QueryRunner } from 'typeorm';
import { upsertFavoriteActivity as upsertFavoriteActivityV1 } from './20261127T100100-rename-favorite-activities.js';

const sameHour = `
  kind = 'favorite' and actor_id = actor and data ->> 'productId' = product ->> 'productId'
  and created_at > at - interval '1 hour' and created_at < at + interval '1 hour'`;

/**
 * Function of `RenameFavoriteActivities` that also appends the event of an inserted activity. Its
 * new parameter has a default, because app versions without it call the function during an upgrade.
 */
const upsertFavoriteActivity = `
  create function upsert_favorite_activity(event uuid, receiver bigint, sender bigint, actor bigint, at timestamptz, product jsonb,
    trace jsonb default '{}')
  returns void language plpgsql volatile as $$
  begin
    if not lock_user(receiver) or not lock_user(actor) then return; end if;
    perform pg_advisory_xact_lock(hashtextextended('favorite ' || actor || ' ' || (product ->> 'productId'), 0));
    if sender = 0 then
      update activities set sender_id = 0
      where id = (select id from activities where ${sameHour} order by created_at limit 1);
    end if;
    with added as (
      insert into activities (event_id, receiver_id, sender_id, actor_id, created_at, kind, data)
      select event, receiver, sender, actor, at, 'favorite', product
      where not exists (select from activities where ${sameHour})
      returning id, receiver_id
    )
    insert into outbox (id, name, version, payload, metadata)
    select gen_random_uuid(), 'activity.created', 1,
      jsonb_build_object('activityId', replace(added.id::text, '-', ''), 'receiverId', added.receiver_id), trace
    from added;
  end $$`;

/** Appends the event `activity.created` for each activity of a favorite. */
export class PublishActivities implements MigrationInterface {
  readonly name = 'PublishActivities1795780800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop function upsert_favorite_activity');
    await runner.query(upsertFavoriteActivity);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function upsert_favorite_activity');
    await runner.query(upsertFavoriteActivityV1);
  }
}
