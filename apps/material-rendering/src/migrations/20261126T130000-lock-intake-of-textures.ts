import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a user's textures take, in the round trip that adds further ones: docs/adr/0017. */
export class LockIntakeOfTextures implements MigrationInterface {
  readonly name = 'LockIntakeOfTextures1795698000000';

  async up(runner: QueryRunner): Promise<void> {
    // Intakes of one user take turns, so that two cannot both take the last bytes of the quota. Each statement of a
    // volatile function sees what was committed before it, so the sum comes after the lock
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
