import type { MigrationInterface, QueryRunner } from 'typeorm';

const sameHour = `
  kind = 'favorite' and actor_id = actor and data ->> 'productId' = product ->> 'productId'
  and created_at > at - interval '1 hour' and created_at < at + interval '1 hour'`;

/**
 * Function that adds the activity of a favorite, at most one per hour for a user and a product: a
 * favorite less than an hour after or before an activity (events may arrive in any order) belongs
 * to that activity. An anonymous favorite makes the activity anonymous, because a named activity
 * would reveal who placed the anonymous favorite. A favorite of or for a deleted user adds nothing.
 *
 * The advisory lock serializes the favorites of one user on one product. Each statement of a
 * volatile function sees all rows that were committed before the statement. Sent by the service,
 * the statements would need six round trips.
 */
const tellOfFavorite = `
  create function tell_of_favorite(event uuid, receiver bigint, sender bigint, actor bigint, at timestamptz, product jsonb)
  returns void language plpgsql volatile as $$
  begin
    if not hold_user(receiver) or not hold_user(actor) then return; end if;
    perform pg_advisory_xact_lock(hashtextextended('favorite ' || actor || ' ' || (product ->> 'productId'), 0));
    if sender = 0 then
      update activities set sender_id = 0
      where id = (select id from activities where ${sameHour} order by created_at limit 1);
    end if;
    insert into activities (event_id, receiver_id, sender_id, actor_id, created_at, kind, data)
    select event, receiver, sender, actor, at, 'favorite', product
    where not exists (select from activities where ${sameHour});
  end $$`;

export class FavoritesOfAnHour implements MigrationInterface {
  readonly name = 'FavoritesOfAnHour1795597800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(tellOfFavorite);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function tell_of_favorite');
  }
}
