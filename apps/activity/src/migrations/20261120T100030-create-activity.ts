import type { MigrationInterface, QueryRunner } from 'typeorm';
import { outboxTables } from '#events';

const tables = [
  `create table activities (
    id          uuid primary key default gen_random_uuid(),
    event_id    uuid not null,
    receiver_id bigint not null,
    sender_id   bigint not null,
    actor_id    bigint not null,
    kind        text not null check (kind in ('favorite', 'sale', 'material')),
    data        jsonb not null,
    created_at  timestamptz not null,
    read_at     timestamptz,
    constraint activities_event_unique unique (event_id, receiver_id)
  )`,
  `comment on column activities.sender_id is 'who is shown as the sender; 0 when the actor wishes not to be named'`,
  `comment on column activities.actor_id is 'who did it; never shown, only for telling repetitions apart'`,
  'create index activities_newest on activities (receiver_id, created_at desc, id desc)',
  'create index activities_unread on activities (receiver_id) where read_at is null',
  `create index activities_repeated_favorite on activities (actor_id, (data ->> 'productId'), created_at)
    where kind = 'favorite'`,
];

export class CreateActivity implements MigrationInterface {
  readonly name = 'CreateActivity1795168830000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...tables, ...outboxTables]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table activities, outbox, inbox');
    await runner.query('drop function outbox_wake');
  }
}
