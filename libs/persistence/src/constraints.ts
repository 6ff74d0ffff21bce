import type { QueryRunner } from 'typeorm';

/** Rules of tables: `{ table: { constraint: 'check (...)' } }`. Foreign keys may stand among them. */
export type TableConstraints = Readonly<Record<string, Readonly<Record<string, string>>>>;

const each = (rules: Readonly<Record<string, string>>, write: (name: string, rule: string) => string): string =>
  Object.entries(rules)
    .map(([name, rule]) => write(name, rule))
    .join(', ');

/**
 * Adds rules to tables that are in use. Each table is locked for the moment in which the rules are noted (`not valid`:
 * from then on they hold for whatever is written); the rows that are there are read afterwards, beside reads and writes.
 * For a migration without a transaction; every step may be done again after an interruption. `migrate` bounds how long a
 * statement waits for a lock.
 *
 * @throws QueryFailedError with the name of the rule that a row breaks; rows that are written keep to it all the same
 */
export async function addConstraints(runner: QueryRunner, tables: TableConstraints): Promise<void> {
  for (const [table, rules] of Object.entries(tables)) {
    const dropped = each(rules, (name) => `drop constraint if exists ${name}`);
    const added = each(rules, (name, rule) => `add constraint ${name} ${rule} not valid`);
    await runner.query(`alter table ${table} ${dropped}, ${added}`);
    for (const name of Object.keys(rules)) await runner.query(`alter table ${table} validate constraint ${name}`);
  }
}

/** Takes them away again. */
export async function dropConstraints(runner: QueryRunner, tables: TableConstraints): Promise<void> {
  for (const [table, rules] of Object.entries(tables))
    await runner.query(`alter table ${table} ${each(rules, (name) => `drop constraint if exists ${name}`)}`);
}
