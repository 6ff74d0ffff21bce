import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the requirements of printers to items. They are not a part of `print_areas`, which is in
 * responses.
 */
export class PrintItems implements MigrationInterface {
  readonly name = 'PrintItems1795860000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table items add column printing jsonb not null default '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table items drop column printing');
  }
}
