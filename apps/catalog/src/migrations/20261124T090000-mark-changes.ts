import type { MigrationInterface, QueryRunner } from 'typeorm';
import { changeMarkTables, markChangesOf, markNoChangesOf, dropChangeMarkTables } from '#persistence';

const tables = ['materials', 'products'];

/** Marks the changes of what products are shown with: docs/adr/0011. */
export class MarkChanges implements MigrationInterface {
  readonly name = 'MarkChanges1795510800000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...changeMarkTables('catalog'), ...tables.map((table) => markChangesOf(table))])
      await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of [...tables.map(markNoChangesOf), ...dropChangeMarkTables]) await runner.query(statement);
  }
}
