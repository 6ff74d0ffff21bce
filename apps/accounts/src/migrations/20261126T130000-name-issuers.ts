import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Applications that receive `iss` in their authorization responses (RFC 9207). A constant default
 * rewrites no row.
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
