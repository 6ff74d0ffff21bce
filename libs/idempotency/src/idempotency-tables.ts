import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { TableConstraints } from '#persistence';

/**
 * Statements that create the table of this library in the current schema, for a migration of a
 * service, which then runs `renameIdempotencyConstraint`. A row without a status is a claim: its
 * write is running or has ended without a response. After `claimed_until` an identical request
 * takes over the claim.
 */
export const idempotencyTables: readonly string[] = [
  `create table idempotency_keys (
     user_id       bigint not null,
     operation     text not null,
     key           text not null check (char_length(key) between 1 and 255),
     fingerprint   text not null,
     claim         uuid not null,
     claimed_until timestamptz not null,
     status        integer,
     headers       jsonb,
     body          bytea,
     created_at    timestamptz not null default now(),
     primary key (user_id, operation, key),
     constraint idempotency_keys_answer check (num_nulls(status, headers, body) in (0, 3))
   )`,
  'create index idempotency_keys_created_at on idempotency_keys (created_at)',
];

/** Statement to run after `idempotencyTables`. */
export const renameIdempotencyConstraint =
  'alter table idempotency_keys rename constraint idempotency_keys_answer to idempotency_keys_response';

/** Migration that renames the constraint of a stored response, after `idempotencyTables`. */
export abstract class RenameIdempotencyConstraint implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(renameIdempotencyConstraint);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table idempotency_keys rename constraint idempotency_keys_response to idempotency_keys_answer',
    );
  }
}

/** Constraints of the table, for a migration of a service. Failures (5xx) are never stored. */
export const idempotencyConstraints: TableConstraints = {
  idempotency_keys: {
    idempotency_keys_user: 'check (user_id > 0)',
    idempotency_keys_fingerprint: "check (fingerprint ~ '^[0-9a-f]{64}$')",
    idempotency_keys_status: 'check (status between 200 and 499)',
  },
};
