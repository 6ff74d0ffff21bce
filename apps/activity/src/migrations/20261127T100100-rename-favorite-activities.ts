import type { MigrationInterface, QueryRunner } from 'typeorm';
import { FavoritesOfAnHour } from './20261125T091000-favorites-of-an-hour.js';

const sameHour = `
  kind = 'favorite' and actor_id = actor and data ->> 'productId' = product ->> 'productId'
  and created_at > at - interval '1 hour' and created_at < at + interval '1 hour'`;

/** Function of `FavoritesOfAnHour` under its new name; calls `lock_user` (formerly `hold_user`). */
export const upsertFavoriteActivity = `
  create function upsert_favorite_activity(event uuid, receiver bigint, sender bigint, actor bigint, at timestamptz, product jsonb)
  returns void language plpgsql volatile as $$
  begin
    if not lock_user(receiver) or not lock_user(actor) then return; end if;
    perform pg_advisory_xact_lock(hashtextextended('favorite ' || actor || ' ' || (product ->> 'productId'), 0));
    if sender = 0 then
      update activities set sender_id = 0
      where id = (select id from activities where ${sameHour} order by created_at limit 1);
    end if;
    insert into activities (event_id, receiver_id, sender_id, actor_id, created_at, kind, data)
    select event, receiver, sender, actor, at, 'favorite', product
    where not exists (select from activities where ${sameHour});
  end $$`;

/** Renames the function that adds activities of favorites, and a constraint of activities. */
export class RenameFavoriteActivities implements MigrationInterface {
  readonly name = 'RenameFavoriteActivities1795773660000';
  private readonly released = new FavoritesOfAnHour();

  async up(runner: QueryRunner): Promise<void> {
    await this.released.down(runner);
    await runner.query(upsertFavoriteActivity);
    await runner.query('alter table activities rename constraint activities_own_pictures to activities_own_images');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table activities rename constraint activities_own_images to activities_own_pictures');
    await runner.query('drop function upsert_favorite_activity');
    await this.released.up(runner);
  }
}
