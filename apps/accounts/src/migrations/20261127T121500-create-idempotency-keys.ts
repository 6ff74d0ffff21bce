import type { MigrationInterface, QueryRunner } from 'typeorm';
import { idempotencyConstraints, idempotencyTables, renameIdempotencyConstraint } from '#idempotency';
import { addConstraints } from '#persistence';

/** Idempotency keys of registrations of applications. */
export class CreateIdempotencyKeys implements MigrationInterface {
  readonly name = 'CreateIdempotencyKeys1795781700000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...idempotencyTables, renameIdempotencyConstraint]) await runner.query(statement);
    await addConstraints(runner, idempotencyConstraints);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table idempotency_keys');
  }
}
