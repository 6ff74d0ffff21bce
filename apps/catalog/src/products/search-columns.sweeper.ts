import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database, type Tx } from '#persistence';
import { searchColumns } from '#kernel';

const batchSize = 1_000;
const sweepMs = 600_000;

interface Unfilled {
  readonly id: number;
  readonly title: string;
}

type Transaction = <R>(work: (tx: Tx) => Promise<R>) => Promise<R>;

/**
 * Fills what search reads of all products that have none of it, in transactions that hold no product for long. It waits
 * for nobody: a product that is locked is being changed or filled by somebody else.
 */
export async function fillSearch(transaction: Transaction): Promise<void> {
  let last: number | undefined = 0;
  while (last !== undefined) {
    const after: number = last;
    last = await transaction((tx) => fillNext(tx, after));
  }
}

/** @returns the last id of the batch behind `after`; undefined when there is none */
async function fillNext(tx: Tx, after: number): Promise<number | undefined> {
  const rows = await tx.query<Unfilled[]>(
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
 * Makes products findable that a process of an older version has made, which knows nothing of search: at the start, and
 * from time to time as long as such a process may still run.
 */
@Injectable()
export class SearchColumnsSweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    // A failure waits for the next time; meanwhile such a product is found by the names of its item
    const fill = (): void => void fillSearch((work) => this.database.transaction(work)).catch(() => undefined);
    fill();
    this.timer = setInterval(fill, sweepMs).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }
}
