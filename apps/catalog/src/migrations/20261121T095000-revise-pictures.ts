import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Number of changes of a product's images: docs/adr/0007. */
export class RevisePictures implements MigrationInterface {
  readonly name = 'RevisePictures1795254600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table products add column picture_revision integer not null default 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table products drop column picture_revision');
  }
}
