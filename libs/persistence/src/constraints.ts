import type { QueryRunner } from 'typeorm';

/** Constraints of tables: `{ table: { constraint: 'check (...)' } }`, also foreign keys. */
export type TableConstraints = Readonly<Record<string, Readonly<Record<string, string>>>>;

const join = (
  constraints: Readonly<Record<string, string>>,
  clause: (name: string, definition: string) => string,
): string =>
  Object.entries(constraints)
    .map(([name, definition]) => clause(name, definition))
    .join(', ');

/**
 * Adds constraints to tables in use. Each table is locked only while its constraints are added as
 * `not valid`, which apply to new rows from then on; existing rows are validated afterwards,
 * concurrently with reads and writes. For a migration without a transaction; every step can be
 * repeated after an interruption. `migrate` bounds how long a statement waits for a lock.
 *
 * @throws QueryFailedError with the name of the constraint that a row violates; new rows are
 *   checked all the same
 */
export async function addConstraints(runner: QueryRunner, tables: TableConstraints): Promise<void> {
  for (const [table, constraints] of Object.entries(tables)) {
    const dropClauses = join(constraints, (name) => `drop constraint if exists ${name}`);
    const addClauses = join(constraints, (name, definition) => `add constraint ${name} ${definition} not valid`);
    await runner.query(`alter table ${table} ${dropClauses}, ${addClauses}`);
    for (const name of Object.keys(constraints)) await runner.query(`alter table ${table} validate constraint ${name}`);
  }
}

/** Drops the constraints that exist. */
export async function dropConstraints(runner: QueryRunner, tables: TableConstraints): Promise<void> {
  for (const [table, constraints] of Object.entries(tables))
    await runner.query(`alter table ${table} ${join(constraints, (name) => `drop constraint if exists ${name}`)}`);
}
