import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds to the singleton row of the log:
 *
 * - `last_position`: highest deleted position, also of deleted users. Without it the end of the log
 *   decreases when its last event is deleted, and cursors of the end expire.
 * - `cursor_offset`: a cursor is a position plus this number. A restore increases it, so that
 *   cursors of lost events are not assigned again. The restore of an older backup adds the column.
 */
export class StoreLogEnd implements MigrationInterface {
  readonly name = 'StoreLogEnd1795795200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table deleted_events add column last_position bigint not null default 0,
      add column if not exists cursor_offset bigint not null default 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table deleted_events drop column last_position, drop column cursor_offset');
  }
}
