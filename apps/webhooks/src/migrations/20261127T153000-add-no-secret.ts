import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addConstraints, type TableConstraints } from '#persistence';

const before = `'address-not-allowed', 'connection-refused', 'dns', 'protocol', 'redirect', 'reset', 'status', 'timeout',
  'tls', 'too-large', 'unreachable'`;

const rulesOf = (errors: string): TableConstraints => ({
  webhook_attempts: { webhook_attempts_error: `check (error in (${errors}))` },
});

/**
 * Allows attempts that failed because no secret could be decrypted. Runs outside a transaction,
 * because the table is in use: see `addConstraints`.
 */
export class AddNoSecret implements MigrationInterface {
  readonly name = 'AddNoSecret1795793400000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return addConstraints(runner, rulesOf(`${before}, 'no-secret'`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("update webhook_attempts set error = 'protocol' where error = 'no-secret'");
    await addConstraints(runner, rulesOf(before));
  }
}
