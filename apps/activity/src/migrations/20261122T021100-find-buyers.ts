import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Index of the activities of sales by buyer, for the deletion of a buyer. The activities of
 * favorites have an index by actor already. Runs outside a transaction, because the index is built
 * concurrently. The next run replaces the invalid index of an interrupted run.
 */
export class FindBuyers implements MigrationInterface {
  readonly name = 'FindBuyers1795313460000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists activities_sold_to');
    await runner.query(
      `create index concurrently activities_sold_to on activities (actor_id) where kind = 'sale' and actor_id > 0`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists activities_sold_to');
  }
}
