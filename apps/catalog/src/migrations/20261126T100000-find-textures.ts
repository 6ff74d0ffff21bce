import type { MigrationInterface, QueryRunner } from 'typeorm';

const indexes = {
  materials_of_texture: 'materials (texture_hash, user_id)',
  // Few products have prints of their own
  products_of_texture: "products using gin (prints jsonb_path_ops) where prints <> '[]'",
};

/**
 * Materials and products by texture, for the renderer, which asks whether one is still in use. Built beside the writes,
 * hence outside of a transaction; built anew after an interruption, which leaves an index that is not valid.
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
