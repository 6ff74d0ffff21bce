import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  dataVersionTablesV1,
  dataVersionTriggerV1,
  dropDataVersionTriggerV1,
  dropDataVersionTablesV1,
} from '#persistence';

const tables = ['materials', 'products'];

/** Version of the data of product responses: docs/adr/0011. */
export class MarkChanges implements MigrationInterface {
  readonly name = 'MarkChanges1795510800000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...dataVersionTablesV1('catalog'), ...tables.map((table) => dataVersionTriggerV1(table))])
      await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of [...tables.map(dropDataVersionTriggerV1), ...dropDataVersionTablesV1])
      await runner.query(statement);
  }
}
