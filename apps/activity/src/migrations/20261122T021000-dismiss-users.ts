import type { MigrationInterface, QueryRunner } from 'typeorm';
import { deletedUsersTablesV1, dropDeletedUsersTablesV1 } from '#persistence';

/** Creates the table of deleted users and the function that locks a user: docs/adr/0010. */
export class DismissUsers implements MigrationInterface {
  readonly name = 'DismissUsers1795313400000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of deletedUsersTablesV1) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of dropDeletedUsersTablesV1) await runner.query(statement);
  }
}
