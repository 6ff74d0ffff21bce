import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Column for the applications that receive `iss` in authorization responses (RFC 9207). With a
 * constant default, PostgreSQL adds a column without rewriting the table.
 */
export class NameIssuers implements MigrationInterface {
  readonly name = 'NameIssuers1795698000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table applications add column names_issuer boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table applications drop column names_issuer');
  }
}
