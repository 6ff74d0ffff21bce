import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Index of activities by age, for the deletion of old ones. Runs outside a transaction, because the
 * index is built concurrently. The next run replaces the invalid index of an interrupted run.
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
