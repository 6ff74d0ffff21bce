import type { MigrationInterface, QueryRunner } from 'typeorm';
import { outboxTables } from '#events';

const tables = [
  `create table textures (
    hash         text primary key check (hash ~ '^[0-9a-f]{64}$'),
    format       text not null check (format in ('png', 'jpeg', 'webp', 'avif', 'gif')),
    width        integer not null check (width > 0),
    height       integer not null check (height > 0),
    bytes        integer not null check (bytes > 0),
    dominant_rgb text check (dominant_rgb ~ '^#[0-9a-f]{6}$'),
    created_at   timestamptz not null default now()
  )`,
];

export class CreateTextures implements MigrationInterface {
  readonly name = 'CreateTextures1795168800000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...tables, ...outboxTables]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table textures, outbox, inbox');
    await runner.query('drop function outbox_wake()');
  }
}
