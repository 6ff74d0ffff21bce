import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The bytes that a user's textures take: docs/adr/0017. */
export class CountBytesOfTextures implements MigrationInterface {
  readonly name = 'CountBytesOfTextures1795694400000';

  async up(runner: QueryRunner): Promise<void> {
    // A process of the version before writes references without them
    await runner.query(
      `alter table texture_references add column bytes integer not null default 0
         constraint texture_references_bytes check (bytes >= 0)`,
    );
    await runner.query(
      'update texture_references r set bytes = t.bytes from textures t where t.hash = r.hash and r.user_id > 0',
    );
    // Read alone when the bytes of a user are added up
    await runner.query('create index texture_references_bytes_of_user on texture_references (user_id) include (bytes)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table texture_references drop column bytes');
  }
}
