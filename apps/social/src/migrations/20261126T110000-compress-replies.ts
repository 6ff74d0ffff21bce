import { compressedReplies, uncompressedReplies } from '#idempotency';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CompressReplies implements MigrationInterface {
  readonly name = 'CompressReplies1795690800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(compressedReplies);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of uncompressedReplies) await runner.query(statement);
  }
}
