import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds whether the image of a material has more frames than its first, which is printed. */
export class MarkAnimations implements MigrationInterface {
  readonly name = 'MarkAnimations1795865400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table materials add column animated boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table materials drop column animated');
  }
}
