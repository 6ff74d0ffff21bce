import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Index for the order of a product's stamps, including those of anonymous favorites; it replaces
 * the previous index. Runs outside a transaction, because indexes are built concurrently. After an
 * interrupted run, an invalid index remains, which the next run replaces.
 */
export class OrderStamps implements MigrationInterface {
  readonly name = 'OrderStamps1795314000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists favorites_of_product');
    await runner.query(
      'create index concurrently favorites_of_product on favorites (product_id, created_at desc, id desc)',
    );
    await runner.query('drop index concurrently if exists favorites_product');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists favorites_product');
    await runner.query('create index concurrently favorites_product on favorites (product_id)');
    await runner.query('drop index concurrently if exists favorites_of_product');
  }
}
