import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The first resize mode of an item is the default, which was `cover` where it was allowed. Imported
 * items retain their default. Those that ship are loaded from files.
 */
export class OrderResizeModes implements MigrationInterface {
  readonly name = 'OrderResizeModes1795928100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `update items set resize_modes = '{cover,contain}'
        where bundle_hash is not null and resize_modes = '{contain,cover}'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `update items set resize_modes = '{contain,cover}'
        where bundle_hash is not null and resize_modes = '{cover,contain}'`,
    );
  }
}
