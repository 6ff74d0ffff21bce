import type { MigrationInterface, QueryRunner } from 'typeorm';
import { outboxTables } from '#events';

const tables = [
  `create table favorites (
    id         bigint generated always as identity primary key,
    product_id bigint not null,
    user_id    bigint not null,
    count      bigint not null check (count > 0),
    anonymous  boolean not null,
    x          double precision not null check (x between 0 and 1),
    y          double precision not null check (y between 0 and 1),
    rotation   integer not null check (rotation between -30 and 30),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    constraint favorites_unique unique (user_id, product_id)
  )`,
  'create index favorites_product on favorites (product_id)',
  // Total of a product's favorites: popular products have too many to add up in each request
  `create table product_favorites (
    product_id  bigint primary key,
    total_count bigint not null check (total_count >= 0)
  )`,
];

export class CreateSocial implements MigrationInterface {
  readonly name = 'CreateSocial1795168820000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...tables, ...outboxTables]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table favorites, product_favorites, outbox, inbox');
    await runner.query('drop function outbox_wake');
  }
}
