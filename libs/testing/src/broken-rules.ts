import pg from 'pg';
import type { ServiceName } from '#contracts';
import { schemaOf } from '#persistence';
import { testDatabase } from './test-database.js';

/** The rules of one service's tables, in a database of their own that holds some rows. */
export interface BrokenRules {
  /** Names of all rules that a statement can break: checks, foreign keys, unique keys and indexes, keys of several columns. */
  readonly names: readonly string[];
  /** Tries a statement on the given rows, as the owner of the tables. @returns the rule that refuses it; undefined: none */
  brokenBy(statement: string): Promise<string | undefined>;
  close(): Promise<void>;
}

const rules = `
  select conname as name from pg_constraint c
  where connamespace = $1::regnamespace and conrelid <> 'migrations'::regclass
    and (contype in ('c', 'u', 'f') or (contype = 'p' and cardinality(conkey) > 1))
  union select relname from pg_index join pg_class on oid = indexrelid
  where relnamespace = $1::regnamespace and indisunique and not indisprimary
  order by name`;

/** @param rows makes the rows that the statements change */
export async function brokenRules(service: ServiceName, rows: string): Promise<BrokenRules> {
  const db = await testDatabase(service);
  const owner = new pg.Client({ connectionString: db.ownerUrl, options: `-c search_path=${schemaOf(service)}` });
  await owner.connect();
  await owner.query(rows);
  const { rows: found } = await owner.query<{ name: string }>(rules, [schemaOf(service)]);
  return {
    names: found.map(({ name }) => name),
    brokenBy: async (statement) => {
      // Also what is compared at the end of a transaction
      const tried = owner.query(`begin; ${statement}; set constraints all immediate`);
      const failure = await tried.then(
        () => undefined,
        (error: unknown) => error as pg.DatabaseError,
      );
      await owner.query('rollback');
      if (failure && !failure.constraint) throw failure;
      return failure?.constraint;
    },
    close: async () => {
      await owner.end();
      await db.close();
    },
  };
}
