import type { MigrationInterface, QueryRunner } from 'typeorm';
import { fillSearch } from '../products/search-columns.sweeper.js';

/**
 * Columns and indexes of products for search. Locks are short: rows are filled in batches, and
 * indexes are built concurrently, outside a transaction. Every step can be repeated after an
 * interruption.
 */
export class SearchProducts implements MigrationInterface {
  readonly name = 'SearchProducts1795253400000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table products add column if not exists search_text text, add column if not exists search_tokens text[]',
    );
    await fillSearch((work) => runner.manager.transaction(work));
    await runner.query('drop index if exists products_search, products_not_searchable');
    await runner.query('create index concurrently products_search on products using gin (search_tokens)');
    // For products that an older process inserts after this migration
    await runner.query('create index concurrently products_not_searchable on products (id) where search_text is null');
    // Without statistics of the new columns, the planner treats common words as rare
    await runner.query('analyze products');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists products_search, products_not_searchable');
    await runner.query('alter table products drop column if exists search_tokens, drop column if exists search_text');
  }
}
