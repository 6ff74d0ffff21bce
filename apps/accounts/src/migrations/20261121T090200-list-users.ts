import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Index for the order of the list of users, without the built-in user. Runs outside a transaction,
 * because the index is built concurrently. The next run replaces the invalid index of an
 * interrupted run.
 */
export class ListUsers implements MigrationInterface {
  readonly name = 'ListUsers1795251720000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists users_newest');
    await runner.query('create index concurrently users_newest on users (created_at desc, id desc) where id > 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists users_newest');
  }
}
