import type { MigrationInterface, QueryRunner } from 'typeorm';

const newestFirst = 'created_at desc, id desc';

const statements = [
  `create index favorites_shown_of_product on favorites (product_id, ${newestFirst}) where not anonymous`,
  `create index favorites_of_user on favorites (user_id, ${newestFirst})`,
  `create index favorites_shown_of_user on favorites (user_id, ${newestFirst}) where not anonymous`,
  // The mark stays for ever: an id is never given again, and a late writer must find it
  'alter table product_favorites add column deleted boolean not null default false',
  'alter table product_favorites add constraint product_favorites_deleted check (not deleted or total_count = 0)',
];

/** The order of the favorites' lists, and which products are gone. */
export class ListFavorites implements MigrationInterface {
  readonly name = 'ListFavorites1795251720000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    // What the mark stands for was no row before
    await runner.query('delete from product_favorites where deleted');
    await runner.query('alter table product_favorites drop column deleted');
    await runner.query('drop index favorites_shown_of_product, favorites_of_user, favorites_shown_of_user');
  }
}
