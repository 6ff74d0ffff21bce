import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Table of the images rendered on request, except those of `imagesToPrepare`. Their total size is
 * limited: docs/adr/0019.
 */
export class CountDrawnImages implements MigrationInterface {
  readonly name = 'CountDrawnImages1795701600000';

  async up(runner: QueryRunner): Promise<void> {
    // Unlogged: the rows can be restored from the blob store. Collation by bytes, so that a folder
    // is a range of keys
    await runner.query(
      `create unlogged table drawn_images (
         key     text collate "C" primary key constraint drawn_images_key check (key ~ '^(drawn|blanks)/'),
         bytes   integer not null constraint drawn_images_bytes check (bytes >= 0),
         used_at timestamptz not null
       )`,
    );
    await runner.query('create index drawn_images_used_at on drawn_images (used_at, key)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table drawn_images');
  }
}
