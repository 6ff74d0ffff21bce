import pg from 'pg';
import type { ServiceName } from '#contracts';
import { testDatabase } from './test-database.js';

/** The constraints of one service's tables, in a separate database that holds some rows. */
export interface TestConstraints {
  /**
   * Tries statements that violate constraints: checks, foreign keys, unique keys and indexes, and
   * primary keys of several columns, but not of one.
   *
   * @param violations by the name of a constraint, a statement that violates this constraint only.
   *   The statements for tables of the libraries are added here
   * @returns a sentence for each covered constraint without a statement, and for each statement
   *   that its constraint does not reject; empty when there is neither
   */
  findMismatches(violations: Readonly<Record<string, string>>): Promise<string[]>;
  /**
   * Tries a statement on the given rows, as the owner of the tables.
   *
   * @returns the constraint that rejects it, or undefined when none does
   */
  violatedBy(statement: string): Promise<string | undefined>;
  close(): Promise<void>;
}

const constraintNames = `
  select conname as name from pg_constraint c
  where connamespace = $1::regnamespace and conrelid <> 'migrations'::regclass
    and (contype in ('c', 'u', 'f') or (contype = 'p' and cardinality(conkey) > 1))
  union select relname from pg_index join pg_class on oid = indexrelid
  where relnamespace = $1::regnamespace and indisunique and not indisprimary
  order by name`;

const tableNames = 'select relname as name from pg_class where relnamespace = $1::regnamespace';

/** The tables of libraries: a row of each, and the statements that violate its constraints. */
const libraryTables: Readonly<Record<string, { row: string; violations: Readonly<Record<string, string>> }>> = {
  deleted_users: {
    row: 'insert into deleted_users values (9)',
    violations: { deleted_users_user: 'update deleted_users set user_id = 0' },
  },
  outbox: {
    row: `insert into outbox (id, name, version, payload) values (gen_random_uuid(), 'x.done', 1, '{}')`,
    violations: {
      outbox_counts: 'update outbox set attempts = -1',
      outbox_shapes: `update outbox set payload = '[]'`,
    },
  },
  idempotency_keys: {
    row: `insert into idempotency_keys (user_id, operation, key, fingerprint, claim, claimed_until)
      values (1, 'choices.add', 'k', repeat('a', 64), gen_random_uuid(), now())`,
    violations: {
      idempotency_keys_pkey: 'insert into idempotency_keys select * from idempotency_keys',
      idempotency_keys_user: 'update idempotency_keys set user_id = 0',
      idempotency_keys_key_check: `update idempotency_keys set key = ''`,
      idempotency_keys_fingerprint: `update idempotency_keys set fingerprint = 'x'`,
      idempotency_keys_response: 'update idempotency_keys set status = 200',
      idempotency_keys_status: `update idempotency_keys set status = 500, headers = '{}', body = ''`,
    },
  },
};

/** @param rows statements that insert the rows that the tried statements change */
export async function testConstraints(service: ServiceName, rows: string): Promise<TestConstraints> {
  const { schemaOf } = await import('#persistence');
  const db = await testDatabase(service);
  const owner = new pg.Client({ connectionString: db.ownerUrl, options: `-c search_path=${schemaOf(service)}` });
  await owner.connect();
  await owner.query(rows);
  const namesOf = async (statement: string): Promise<string[]> =>
    (await owner.query<{ name: string }>(statement, [schemaOf(service)])).rows.map(({ name }) => name);
  // `accounts.deleted_users` is a table of accounts, not of the library
  const ownTables = service === 'accounts' ? ['deleted_users'] : [];
  const shared = (await namesOf(tableNames))
    .filter((name) => !ownTables.includes(name))
    .flatMap((name) => libraryTables[name] ?? []);
  for (const { row } of shared) await owner.query(row);
  const names = await namesOf(constraintNames);
  const violatedBy = async (statement: string): Promise<string | undefined> => {
    // Also checks the deferred constraints, which PostgreSQL checks at the end of a transaction
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
    violatedBy,
    findMismatches: async (ofService) => {
      const violations = new Map(
        [ofService, ...shared.map((each) => each.violations)].flatMap((each) => Object.entries(each)),
      );
      const mismatches = names
        .filter((name) => !violations.has(name))
        .map((name) => `${name}: no statement violates it`);
      for (const [name, statement] of violations) {
        const by = await violatedBy(statement);
        if (by !== name) mismatches.push(`${name}: ${by ?? 'no constraint'} rejects ${statement}`);
      }
      return mismatches;
    },
    close: async () => {
      await owner.end();
      await db.close();
    },
  };
}
