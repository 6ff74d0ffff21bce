import type { MigrationInterface, QueryRunner } from 'typeorm';
import { departedUsersTables, dropDepartedUsersTables } from '#persistence';

export class DismissUsers implements MigrationInterface {
  readonly name = 'DismissUsers1795313400000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of departedUsersTables) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of dropDepartedUsersTables) await runner.query(statement);
  }
}
