import type { MigrationInterface, QueryRunner } from 'typeorm';

const indexes = {
  materials_of_texture: 'materials (texture_hash, user_id)',
  // Few products have additional prints
  products_of_texture: "products using gin (prints jsonb_path_ops) where prints <> '[]'",
};

/**
 * Indexes of materials and products by texture, for the query that returns the textures in use.
 * Runs outside a transaction, because indexes are built concurrently. After an interrupted run, an
 * invalid index remains, which the next run replaces.
 */
export class FindTextures implements MigrationInterface {
  readonly name = 'FindTextures1795687200000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(indexes)) {
      await runner.query(`drop index if exists ${name}`);
      await runner.query(`create index concurrently ${name} on ${columns}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(indexes)) await runner.query(`drop index if exists ${name}`);
  }
}
