import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the version of items that an operator imports, the hash of its bundle, the hash of its
 * packed layers in the blob store, and the list of its blobs, for backups. Items that ship with the
 * service have version 0.
 */
export class ImportItems implements MigrationInterface {
  readonly name = 'ImportItems1795885200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table items
         add column version integer not null default 0,
         add column bundle_hash text,
         add column layers text,
         add column blobs jsonb not null default '[]',
         add constraint items_bundle check ((version = 0) = (bundle_hash is null)),
         add constraint items_layers check (version > 0 or layers is null)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table items drop column version, drop column bundle_hash, drop column layers, drop column blobs',
    );
  }
}
