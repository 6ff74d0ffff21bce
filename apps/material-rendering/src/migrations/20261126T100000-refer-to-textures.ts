import type { MigrationInterface, QueryRunner } from 'typeorm';
import { deletedUsersTablesV1, dropDeletedUsersTablesV1 } from '#persistence';

const statements = [
  // Null means the key `textures/<hash>`, as before this migration
  'alter table textures add column blob_key text',
  `create table texture_references (
    user_id  bigint not null constraint texture_references_user check (user_id >= 0),
    hash     text not null references textures (hash),
    check_at timestamptz not null,
    primary key (user_id, hash)
  )`,
  'create index texture_references_hash on texture_references (hash)',
  'create index texture_references_check_at on texture_references (check_at)',
  `create table discarded_blobs (
    key       text primary key constraint discarded_blobs_key check (key ~ '^textures/[0-9a-f]'),
    delete_at timestamptz not null,
    claimed   boolean not null default false
  )`,
  'create index discarded_blobs_delete_at on discarded_blobs (delete_at)',
  ...deletedUsersTablesV1,
  `alter table departed_users add constraint departed_users_user check (user_id > 0)`,
];

/** References of users to textures, discarded blobs, and deleted users: docs/adr/0017. */
export class ReferToTextures implements MigrationInterface {
  readonly name = 'ReferToTextures1795687200000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of dropDeletedUsersTablesV1) await runner.query(statement);
    await runner.query('drop table discarded_blobs, texture_references');
    await runner.query('alter table textures drop column blob_key');
  }
}
