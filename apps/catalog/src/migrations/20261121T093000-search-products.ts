import type { MigrationInterface, QueryRunner } from 'typeorm';
import { searchColumns } from '../products/search.js';

const batchSize = 1_000;

interface Unfilled {
  readonly id: number;
  readonly title: string;
}

/**
 * What search reads of a product. Nothing is locked for long: the rows are filled in batches and the index is built
 * beside the writes, hence outside of a transaction; every step may be done again after one that was interrupted.
 */
export class SearchProducts implements MigrationInterface {
  readonly name = 'SearchProducts1795253400000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table products add column if not exists search_text text, add column if not exists search_tokens text[]',
    );
    await fill(runner);
    await runner.query('drop index if exists products_search');
    await runner.query('create index concurrently products_search on products using gin (search_tokens)');
    // Without statistics of the new columns the planner takes a common word for a rare one
    await runner.query('analyze products');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index products_search');
    await runner.query('alter table products drop column search_tokens, drop column search_text');
  }
}

async function fill(runner: QueryRunner): Promise<void> {
  let last = 0;
  for (;;) {
    const rows = (await runner.query(
      `select p.id, m.title from products p join materials m on m.id = p.material_id
       where p.id > $1 and p.search_text is null order by p.id limit ${batchSize}`,
      [last],
    )) as Unfilled[];
    if (rows.length === 0) return;
    const filled = rows.map(({ id, title }) => ({ id, ...searchColumns(title) }));
    await runner.query(
      `update products set search_text = filled."searchText", search_tokens = filled."searchTokens"
       from jsonb_to_recordset($1) as filled (id bigint, "searchText" text, "searchTokens" text[])
       where products.id = filled.id`,
      [JSON.stringify(filled)],
    );
    last = rows.at(-1)!.id;
  }
}
