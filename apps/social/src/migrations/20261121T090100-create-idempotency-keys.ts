import { idempotencyTables } from '#idempotency';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateIdempotencyKeys implements MigrationInterface {
  readonly name = 'CreateIdempotencyKeys1795251660000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of idempotencyTables) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table idempotency_keys');
  }
}
