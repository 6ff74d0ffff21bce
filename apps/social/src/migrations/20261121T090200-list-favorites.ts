import type { MigrationInterface, QueryRunner } from 'typeorm';

const newestFirst = 'created_at desc, id desc';

const indexes = {
  favorites_shown_of_product: `(product_id, ${newestFirst}) where not anonymous`,
  favorites_of_user: `(user_id, ${newestFirst})`,
  favorites_shown_of_user: `(user_id, ${newestFirst}) where not anonymous`,
};
const dropIndexes = `drop index if exists ${Object.keys(indexes).join()}`;

// The mark stays for ever: an id is never given again, and a late writer must find it
const addMark = 'alter table product_favorites add column if not exists deleted boolean not null default false';

const up = [
  dropIndexes,
  ...Object.entries(indexes).map(([name, on]) => `create index concurrently ${name} on favorites ${on}`),
  addMark,
  'alter table product_favorites drop constraint if exists product_favorites_deleted',
  `alter table product_favorites
     add constraint product_favorites_deleted check (not deleted or total_count = 0) not valid`,
  'alter table product_favorites validate constraint product_favorites_deleted',
];

const down = [
  // There may be none any more when this is done again
  addMark,
  // What the mark stands for was no row before
  'delete from product_favorites where deleted',
  'alter table product_favorites drop column deleted',
  dropIndexes,
];

/**
 * The order of the favorites' lists, and which products are gone. Favorites are placed meanwhile: the indexes are built
 * beside the writes and each lock is one table's and short, hence outside of a transaction; every step may be done again
 * after one that was interrupted.
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
