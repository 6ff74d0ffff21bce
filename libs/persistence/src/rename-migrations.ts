import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { ServiceName } from '#contracts';
import { addConstraints } from './constraints.js';
import {
  dataVersionTables,
  dataVersionTrigger,
  dropDataVersionTables,
  dropDataVersionTrigger,
} from './data-version.js';
import { deletedUsersTables, dropDeletedUsersTables } from './deleted-users.js';
import {
  dataVersionTablesV1,
  dataVersionTriggerV1,
  deletedUsersConstraintsV1,
  deletedUsersTablesV1,
  dropDataVersionTablesV1,
  dropDataVersionTriggerV1,
  dropDeletedUsersTablesV1,
} from './released-statements.js';

async function run(runner: QueryRunner, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await runner.query(statement);
}

/**
 * Renames the table of deleted users and the function that locks a user. Creates the new objects
 * and copies the rows, so that constraints have the names that they have in a new service; those of
 * `not null` differ between versions of PostgreSQL. The previous version cannot use the new names:
 * stop the service first.
 */
export abstract class RenameDeletedUsersTable implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await run(runner, [
      ...deletedUsersTables,
      'insert into deleted_users (user_id, deleted_at) select user_id, departed_at from departed_users',
      ...dropDeletedUsersTablesV1,
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await run(runner, [
      ...deletedUsersTablesV1,
      'insert into departed_users (user_id, departed_at) select user_id, deleted_at from deleted_users',
      ...dropDeletedUsersTables,
    ]);
    await addConstraints(runner, deletedUsersConstraintsV1);
  }
}

/**
 * Renames the table of the data version, its column, its function and its triggers. Before the
 * migration, stop all services that read the data version: their previous release cannot use the
 * new names.
 */
export abstract class RenameDataVersionTable implements MigrationInterface {
  protected abstract readonly service: ServiceName;
  /** Events of the trigger of each table. */
  protected abstract readonly triggers: Readonly<Record<string, string>>;
  /** Roles of other services that may read the version. */
  protected readonly readers: readonly string[] = [];

  async up(runner: QueryRunner): Promise<void> {
    await run(runner, [
      ...Object.keys(this.triggers).map(dropDataVersionTriggerV1),
      ...dataVersionTables(this.service),
      'update data_versions set version = mark from change_marks where change_marks.part = data_versions.part',
      ...dropDataVersionTablesV1,
      ...Object.entries(this.triggers).map(([table, events]) => dataVersionTrigger(table, events)),
      ...this.readers.map((role) => `grant select on data_versions to ${role}`),
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await run(runner, [
      ...Object.keys(this.triggers).map(dropDataVersionTrigger),
      ...dataVersionTablesV1(this.service),
      'update change_marks set mark = version from data_versions where data_versions.part = change_marks.part',
      ...dropDataVersionTables,
      ...Object.entries(this.triggers).map(([table, events]) => dataVersionTriggerV1(table, events)),
      ...this.readers.map((role) => `grant select on change_marks to ${role}`),
    ]);
  }
}
