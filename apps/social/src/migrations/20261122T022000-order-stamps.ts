import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The order of a product's stamps, of anonymous favorites too; the index serves whatever the one before did. Favorites
 * are placed meanwhile: it is built beside the writes, hence outside of a transaction; it is built anew after an
 * interruption, which leaves one that is not valid.
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
