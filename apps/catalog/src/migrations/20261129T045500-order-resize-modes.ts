import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Items whose default remains: all but the notebook that ships. */
const others = `not (name = 'note' and bundle_hash is null)`;

/**
 * The first resize mode of an item is the default, which was `cover` where it was allowed. Items
 * retain it, and so do the products of the notebook, as their images and print files show it; new
 * ones of the notebook have `contain`.
 */
export class OrderResizeModes implements MigrationInterface {
  readonly name = 'OrderResizeModes1795928100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `update items set resize_modes = '{cover,contain}' where ${others} and resize_modes = '{contain,cover}'`,
    );
    await runner.query(
      `update products set resize_mode = 'cover'
        where resize_mode is null and item_id in (select id from items where not (${others}))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `update items set resize_modes = '{contain,cover}' where ${others} and resize_modes = '{cover,contain}'`,
    );
  }
}
