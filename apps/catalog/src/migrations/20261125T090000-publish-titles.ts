import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Publishes what a product is called, too, so that a favorite is placed and told of in one statement: docs/adr/0005. The
 * title is the one of `productTitle`.
 */
export class PublishTitles implements MigrationInterface {
  readonly name = 'PublishTitles1795597200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create view titled_products as
       select p.id, p.user_id, p.listed, m.title || ' ' || (i.display_name ->> 'ja') as title
       from products p join materials m on m.id = p.material_id join items i on i.id = p.item_id`,
    );
    await runner.query('grant select on titled_products to storefront_social');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop view titled_products');
  }
}
