import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database, type Tx } from '#persistence';
import { searchColumns } from '#kernel';

const batchSize = 1_000;
const sweepMs = 600_000;

interface UnindexedProduct {
  readonly id: number;
  readonly title: string;
}

type RunInTransaction = <R>(work: (tx: Tx) => Promise<R>) => Promise<R>;

/**
 * Fills the search columns of all products without them, in short transactions. Skips locked
 * products, which another transaction is changing or filling.
 */
export async function fillSearch(runInTransaction: RunInTransaction): Promise<void> {
  let last: number | undefined = 0;
  while (last !== undefined) {
    const after: number = last;
    last = await runInTransaction((tx) => fillNextBatch(tx, after));
  }
}

/**
 * Fills the next batch of products with ids above `after`. Returns its last id, or undefined if the
 * batch is empty.
 */
async function fillNextBatch(tx: Tx, after: number): Promise<number | undefined> {
  const rows = await tx.query<UnindexedProduct[]>(
    `select p.id, m.title from products p join materials m on m.id = p.material_id
     where p.id > $1 and p.search_text is null order by p.id limit ${batchSize} for update of p skip locked`,
    [after],
  );
  if (rows.length === 0) return undefined;
  const filled = rows.map(({ id, title }) => ({ id, ...searchColumns(title) }));
  await tx.query(
    `update products set search_text = filled."searchText", search_tokens = filled."searchTokens"
     from jsonb_to_recordset($1) as filled (id bigint, "searchText" text, "searchTokens" text[])
     where products.id = filled.id`,
    [JSON.stringify(filled)],
  );
  return rows.at(-1)!.id;
}

/**
 * Fills the search columns of products that a process of an older version, without search, has
 * created: at startup and every 10 minutes, because such a process may still run.
 */
@Injectable()
export class SearchColumnsSweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    // The next sweep repeats a failed one. Until then, a search finds these products only by the
    // names of their items
    const fill = (): void => void fillSearch((work) => this.database.transaction(work)).catch(() => undefined);
    fill();
    this.timer = setInterval(fill, sweepMs).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }
}
