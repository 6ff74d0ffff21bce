import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = [
  `create table banners (
    id           bigint generated always as identity primary key,
    display_size text not null check (char_length(display_size) between 1 and 64),
    image_url    text not null,
    created_at   timestamptz not null default now()
  )`,
  `create table promotions (
    id         bigint generated always as identity primary key,
    name       text not null check (char_length(name) between 1 and 255),
    category   text not null check (char_length(category) between 1 and 64),
    url        text not null,
    created_at timestamptz not null default now()
  )`,
];

/** Banners and promotions of the operator. */
export class CreateStorefront implements MigrationInterface {
  readonly name = 'CreateStorefront1795253520000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of tables) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table banners, promotions');
  }
}
