import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The order of the list of users, without the built-in one. The index is built beside the writes, hence outside of a
 * transaction; it is built anew after an interruption, which leaves one that is not valid.
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
