import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds whether a texture has more frames than its first, which is printed. */
export class MarkAnimations implements MigrationInterface {
  readonly name = 'MarkAnimations1795865400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table textures add column animated boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table textures drop column animated');
  }
}
