import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ModerateMaterials implements MigrationInterface {
  readonly name = 'ModerateMaterials1795254000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table materials add column violation_reason text
       constraint materials_violation_reason check (char_length(violation_reason) between 1 and 1000)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table materials drop column violation_reason');
  }
}
