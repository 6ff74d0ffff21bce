import pg from 'pg';
import type { ServiceName } from '#contracts';
import { testDatabase } from './test-database.js';

/** The rules of one service's tables, in a database of their own that holds some rows. */
export interface BrokenRules {
  /**
   * Tries a statement for each rule that one can break: checks, foreign keys, unique keys and indexes, keys of several
   * columns.
   *
   * @param broken by the name of the rule, what breaks it and no other; the tables of libraries are seen to
   * @returns rules without a statement, and statements that another rule or none refuses; empty when all is as it should be
   */
  misses(broken: Readonly<Record<string, string>>): Promise<string[]>;
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

const tables = 'select relname as name from pg_class where relnamespace = $1::regnamespace';

/** The tables that libraries bring: a row of each, and what breaks its rules. */
const ofLibraries: Readonly<Record<string, { row: string; broken: Readonly<Record<string, string>> }>> = {
  departed_users: {
    row: 'insert into departed_users values (9)',
    broken: { departed_users_user: 'update departed_users set user_id = 0' },
  },
  outbox: {
    row: `insert into outbox (id, name, version, payload) values (gen_random_uuid(), 'x.done', 1, '{}')`,
    broken: {
      outbox_counts: 'update outbox set attempts = -1',
      outbox_shapes: `update outbox set payload = '[]'`,
    },
  },
  idempotency_keys: {
    row: `insert into idempotency_keys (user_id, operation, key, fingerprint, claim, claimed_until)
      values (1, 'choices.add', 'k', repeat('a', 64), gen_random_uuid(), now())`,
    broken: {
      idempotency_keys_pkey: 'insert into idempotency_keys select * from idempotency_keys',
      idempotency_keys_user: 'update idempotency_keys set user_id = 0',
      idempotency_keys_key_check: `update idempotency_keys set key = ''`,
      idempotency_keys_fingerprint: `update idempotency_keys set fingerprint = 'x'`,
      idempotency_keys_answer: 'update idempotency_keys set status = 200',
      idempotency_keys_status: `update idempotency_keys set status = 500, headers = '{}', body = ''`,
    },
  },
};

/** @param rows makes the rows that the statements change */
export async function brokenRules(service: ServiceName, rows: string): Promise<BrokenRules> {
  const { schemaOf } = await import('#persistence');
  const db = await testDatabase(service);
  const owner = new pg.Client({ connectionString: db.ownerUrl, options: `-c search_path=${schemaOf(service)}` });
  await owner.connect();
  await owner.query(rows);
  const namesOf = async (statement: string): Promise<string[]> =>
    (await owner.query<{ name: string }>(statement, [schemaOf(service)])).rows.map(({ name }) => name);
  const shared = (await namesOf(tables)).flatMap((name) => ofLibraries[name] ?? []);
  for (const { row } of shared) await owner.query(row);
  const names = await namesOf(rules);
  const brokenBy = async (statement: string): Promise<string | undefined> => {
    // Also what is compared at the end of a transaction
    const tried = owner.query(`begin; ${statement}; set constraints all immediate`);
    const failure = await tried.then(
      () => undefined,
      (error: unknown) => error as pg.DatabaseError,
    );
    await owner.query('rollback');
    if (failure && !failure.constraint) throw failure;
    return failure?.constraint;
  };
  return {
    brokenBy,
    misses: async (ofService) => {
      const broken = new Map([ofService, ...shared.map((each) => each.broken)].flatMap((each) => Object.entries(each)));
      const missed = names.filter((name) => !broken.has(name)).map((name) => `${name}: no statement breaks it`);
      for (const [name, statement] of broken) {
        const by = await brokenBy(statement);
        if (by !== name) missed.push(`${name}: ${by ?? 'nothing'} refuses ${statement}`);
      }
      return missed;
    },
    close: async () => {
      await owner.end();
      await db.close();
    },
  };
}
