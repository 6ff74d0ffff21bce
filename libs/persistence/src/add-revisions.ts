import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addConstraints, type TableConstraints } from './constraints.js';

/**
 * Migration that adds the column `revision` to tables of resources: the number of changes of a row
 * that had an event. The event has the same `revision`. Existing rows have 0, as before their first
 * event. Runs outside a transaction: see `addConstraints`.
 */
export abstract class AddRevisions implements MigrationInterface {
  abstract readonly name: string;
  readonly transaction = false;
  protected abstract readonly tables: readonly string[];

  async up(runner: QueryRunner): Promise<void> {
    for (const table of this.tables)
      await runner.query(`alter table ${table} add column if not exists revision integer not null default 0`);
    const constraints = this.tables.map(
      (table) => [table, { [`${table}_revision`]: 'check (revision >= 0)' }] as const,
    );
    await addConstraints(runner, Object.fromEntries(constraints) satisfies TableConstraints);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of this.tables) await runner.query(`alter table ${table} drop column if exists revision`);
  }
}
