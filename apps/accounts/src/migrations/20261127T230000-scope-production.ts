import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addConstraints, dropConstraints } from '#persistence';

const ofUsers = `scopes <@ array['read', 'write']`;
const ofOperator = `kind = 'token' and application_id is null and scopes <@ array['read', 'write', 'production']`;

const rules = {
  access_tokens: { access_tokens_scopes: `check (cardinality(scopes) > 0 and (${ofUsers} or (${ofOperator})))` },
};
const previousRules = {
  access_tokens: { access_tokens_scopes_check: `check (cardinality(scopes) > 0 and ${ofUsers})` },
};

/**
 * Scope `production`, of tokens that the operator has created: not of personal keys, and not of
 * tokens of applications. Runs outside a transaction, because the table is in use: see
 * `addConstraints`.
 */
export class ScopeProduction implements MigrationInterface {
  readonly name = 'ScopeProduction1795820400000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await addConstraints(runner, rules);
    await dropConstraints(runner, previousRules);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`delete from access_tokens where 'production' = any (scopes)`);
    await addConstraints(runner, previousRules);
    await dropConstraints(runner, rules);
  }
}
