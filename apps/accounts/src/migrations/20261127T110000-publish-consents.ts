import type { MigrationInterface, QueryRunner } from 'typeorm';

const reader = 'storefront_webhooks';
const columns = ['(id, owner_id) on applications', '(user_id, application_id, scopes) on consents'];

/**
 * Lets webhooks read which users have consented to an application, because its webhook endpoints
 * receive the events of these users.
 */
export class PublishConsents implements MigrationInterface {
  readonly name = 'PublishConsents1795777200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`grant usage on schema accounts to ${reader}`);
    for (const each of columns) await runner.query(`grant select ${each} to ${reader}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const each of columns) await runner.query(`revoke select ${each} from ${reader}`);
    await runner.query(`revoke usage on schema accounts from ${reader}`);
  }
}
