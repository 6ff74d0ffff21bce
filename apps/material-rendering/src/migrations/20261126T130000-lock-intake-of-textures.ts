import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Function that adds up the bytes of a user's textures under a lock, in one round trip:
 * docs/adr/0017.
 */
export class LockIntakeOfTextures implements MigrationInterface {
  readonly name = 'LockIntakeOfTextures1795698000000';

  async up(runner: QueryRunner): Promise<void> {
    // The lock serializes the uploads of a user, so that two cannot exceed the quota together. Each
    // statement of a volatile function sees rows committed before it, so the sum is read after the
    // lock
    await runner.query(
      `create function lock_intake(owner bigint, given text[], out used bigint, out own text[]) language plpgsql volatile as $$
       begin
         perform pg_advisory_xact_lock(hashtextextended(current_schema() || ' textures ' || owner, 0));
         select coalesce(sum(bytes), 0) into used from texture_references where user_id = owner;
         select coalesce(array_agg(hash), '{}') into own from texture_references where user_id = owner and hash = any(given);
       end $$`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function lock_intake(bigint, text[])');
  }
}
