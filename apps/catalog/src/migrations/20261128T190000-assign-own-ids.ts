import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the sequence of the ids that imports assign, above those that are assigned. Print places
 * of older versions are deleted, and clients store their ids: the next one after the maximum of the
 * table may be such an id.
 */
export class AssignOwnIds implements MigrationInterface {
  readonly name = 'AssignOwnIds1795892400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create sequence own_ids minvalue 100000000');
    await runner.query(
      `select setval('own_ids', greatest(100000000, (select max(id) from colors), (select max(id) from sizes),
         (select max(id) from items), (select max(id) from item_variants), (select max(id) from print_places)))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop sequence own_ids');
  }
}
