import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The order of the list of users, without the built-in one. */
export class ListUsers implements MigrationInterface {
  readonly name = 'ListUsers1795251720000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index users_newest on users (created_at desc, id desc) where id > 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index users_newest');
  }
}
