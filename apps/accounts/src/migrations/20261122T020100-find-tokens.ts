import type { MigrationInterface, QueryRunner } from 'typeorm';

const indexes = {
  access_tokens_application: 'access_tokens (application_id, user_id) where application_id is not null',
  access_tokens_code: 'access_tokens (code_hash) where code_hash is not null',
  access_tokens_expiry: 'access_tokens (expires_at) where expires_at is not null',
};

/**
 * Indexes of access tokens by application and user, by authorization code and by expiry. Runs
 * outside a transaction, because indexes are built concurrently. The next run replaces the invalid
 * index of an interrupted run.
 */
export class FindTokens implements MigrationInterface {
  readonly name = 'FindTokens1795312860000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(indexes)) {
      await runner.query(`drop index if exists ${name}`);
      await runner.query(`create index concurrently ${name} on ${columns}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(indexes)) await runner.query(`drop index if exists ${name}`);
  }
}
