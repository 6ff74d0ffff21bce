import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Column with the size of each referenced texture, for quotas: docs/adr/0017. */
export class CountBytesOfTextures implements MigrationInterface {
  readonly name = 'CountBytesOfTextures1795694400000';

  async up(runner: QueryRunner): Promise<void> {
    // A process of the previous version writes references without bytes
    await runner.query(
      `alter table texture_references add column bytes integer not null default 0
         constraint texture_references_bytes check (bytes >= 0)`,
    );
    await runner.query(
      'update texture_references r set bytes = t.bytes from textures t where t.hash = r.hash and r.user_id > 0',
    );
    // For index-only scans that add up the bytes of a user
    await runner.query('create index texture_references_bytes_of_user on texture_references (user_id) include (bytes)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table texture_references drop column bytes');
  }
}
