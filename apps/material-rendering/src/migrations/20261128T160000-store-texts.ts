import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Text and color of a texture that was rendered from a text, for the curves of print files. Null
 * for images, and for texts of versions before.
 */
export class StoreTexts implements MigrationInterface {
  readonly name = 'StoreTexts1795881600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table textures add column text jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table textures drop column text');
  }
}
