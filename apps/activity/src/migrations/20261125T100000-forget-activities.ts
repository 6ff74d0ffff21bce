import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Activities by age, for those that are forgotten. Built beside the writes, hence outside of a transaction; built anew
 * after an interruption, which leaves an index that is not valid.
 */
export class ForgetActivities implements MigrationInterface {
  readonly name = 'ForgetActivities1795600800000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists activities_oldest');
    await runner.query('create index concurrently activities_oldest on activities (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists activities_oldest');
  }
}
