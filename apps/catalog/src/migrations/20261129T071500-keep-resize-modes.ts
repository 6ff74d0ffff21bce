import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Items that ship have the order of their files before the catalog is loaded: the first mode is the
 * default, and only that of the notebook changed. Its products retain `cover`, as their images and
 * print files show it.
 */
export class KeepResizeModes implements MigrationInterface {
  readonly name = 'KeepResizeModes1795936500000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `update items set resize_modes = '{cover,contain}'
        where bundle_hash is null and name <> 'note' and resize_modes = '{contain,cover}'`,
    );
    await runner.query(
      `update products set resize_mode = 'cover'
        where resize_mode is null and item_id in (select id from items where bundle_hash is null and name = 'note')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `update items set resize_modes = '{contain,cover}'
        where bundle_hash is null and name <> 'note' and resize_modes = '{cover,contain}'`,
    );
  }
}
