import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets social read the visibility of products, so that the lists of social hide deleted products
 * immediately, count exactly and read a page with one statement: docs/adr/0005.
 */
export class PublishProducts implements MigrationInterface {
  readonly name = 'PublishProducts1795251600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('grant usage on schema catalog to storefront_social');
    await runner.query('grant select (id, user_id, item_id, listed) on catalog.products to storefront_social');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('revoke select (id, user_id, item_id, listed) on catalog.products from storefront_social');
    await runner.query('revoke usage on schema catalog from storefront_social');
  }
}
