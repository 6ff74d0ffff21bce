import type { MigrationInterface, QueryRunner } from 'typeorm';

const settings = {
  autovacuum_vacuum_insert_scale_factor: 0,
  autovacuum_vacuum_insert_threshold: 10_000,
  autovacuum_vacuum_scale_factor: 0.02,
};

/**
 * Vacuums products earlier. An index-only scan needs the visibility map, which VACUUM updates, by
 * default after changes of a fifth of the table. With a quarter of the map set, a scan of a million
 * products read 39,000 pages in 2.8 s; with all of it, 6,500 pages in 62 ms of processor time.
 */
export class KeepProductsVacuumed implements MigrationInterface {
  readonly name = 'KeepProductsVacuumed1795600800000';

  async up(runner: QueryRunner): Promise<void> {
    const all = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    await runner.query(`alter table products set (${all.join()})`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table products reset (${Object.keys(settings).join()})`);
  }
}
