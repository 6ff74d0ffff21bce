import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets social read the titles of products as well, so that one statement adds a favorite and its
 * event: docs/adr/0005. The view composes titles as the function `productTitle` does.
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
