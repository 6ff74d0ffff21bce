import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sales by who bought, for the day a buyer leaves; favorites have an index already. Built beside the writes, hence
 * outside of a transaction; built anew after an interruption, which leaves an index that is not valid.
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
