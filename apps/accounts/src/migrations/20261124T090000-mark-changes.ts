import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  dataVersionTablesV1,
  dataVersionTriggerV1,
  dropDataVersionTriggerV1,
  dropDataVersionTablesV1,
} from '#persistence';

// Also for a new user: if each service has its own database, products of a new user may be listed
// before the row of the user is replicated
const shown = 'insert or delete or update of name, display_name, avatar_url';

/** Version of the user data that catalog shows: docs/adr/0011. */
export class MarkChanges implements MigrationInterface {
  readonly name = 'MarkChanges1795510800000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...dataVersionTablesV1('accounts'), dataVersionTriggerV1('users', shown)])
      await runner.query(statement);
    await runner.query('grant select on change_marks to storefront_catalog');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of [dropDataVersionTriggerV1('users'), ...dropDataVersionTablesV1])
      await runner.query(statement);
  }
}
