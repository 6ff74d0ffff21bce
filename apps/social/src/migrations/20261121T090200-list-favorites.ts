import type { MigrationInterface, QueryRunner } from 'typeorm';

const newestFirst = 'created_at desc, id desc';

const indexes = {
  favorites_shown_of_product: `(product_id, ${newestFirst}) where not anonymous`,
  favorites_of_user: `(user_id, ${newestFirst})`,
  favorites_shown_of_user: `(user_id, ${newestFirst}) where not anonymous`,
};
const dropIndexes = `drop index if exists ${Object.keys(indexes).join()}`;

// Tombstone, never deleted: ids are not reused, and late writes must find it
const addDeletedColumn =
  'alter table product_favorites add column if not exists deleted boolean not null default false';

const up = [
  dropIndexes,
  ...Object.entries(indexes).map(([name, on]) => `create index concurrently ${name} on favorites ${on}`),
  addDeletedColumn,
  'alter table product_favorites drop constraint if exists product_favorites_deleted',
  `alter table product_favorites
     add constraint product_favorites_deleted check (not deleted or total_count = 0) not valid`,
  'alter table product_favorites validate constraint product_favorites_deleted',
];

const down = [
  // An earlier run may have dropped the column
  addDeletedColumn,
  // The previous version has no rows of deleted products
  'delete from product_favorites where deleted',
  'alter table product_favorites drop column deleted',
  dropIndexes,
];

/**
 * Indexes for the order of favorite lists, and tombstones of products. Runs outside a transaction,
 * because the tables are in use: indexes are built concurrently, and each lock that blocks reads or
 * writes is short and of one table. After an interruption the migration can run again from the
 * start.
 */
export class ListFavorites implements MigrationInterface {
  readonly name = 'ListFavorites1795251720000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
