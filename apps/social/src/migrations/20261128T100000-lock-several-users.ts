import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tryLockUsers } from '#persistence';

/** Function that locks the users of several favorites, which are placed in one statement. */
export class LockSeveralUsers implements MigrationInterface {
  readonly name = 'LockSeveralUsers1795860000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(tryLockUsers);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function try_lock_users(bigint[])');
  }
}
