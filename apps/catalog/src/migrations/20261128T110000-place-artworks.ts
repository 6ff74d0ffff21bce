import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the position of the material's image on a product. Other images have it in `prints`. */
export class PlaceArtworks implements MigrationInterface {
  readonly name = 'PlaceArtworks1795863600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table products
      add column placement jsonb
        constraint products_placement check (placement is null or placement @? '$.matrix[5]')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table products drop column placement');
  }
}
