import type { MigrationInterface, QueryRunner } from 'typeorm';

const [released, renamed] = ['picture_revision', 'image_revision'];

async function rename(runner: QueryRunner, from: string, to: string): Promise<void> {
  await runner.query(`alter table products rename column ${from} to ${to}`);
  // Includes `not null` constraints, which have names since PostgreSQL 18
  const constraints = (await runner.query(
    `select conname as name from pg_constraint where conrelid = 'products'::regclass and conname like $1`,
    [`products_${from}%`],
  )) as { name: string }[];
  for (const { name } of constraints)
    await runner.query(`alter table products rename constraint ${name} to ${name.replace(from, to)}`);
}

/**
 * Renames the column with the revision of a product's images: docs/adr/0007. The previous version
 * cannot use the new name: stop the service first.
 */
export class RenameImageRevision implements MigrationInterface {
  readonly name = 'RenameImageRevision1795773720000';

  up(runner: QueryRunner): Promise<void> {
    return rename(runner, released, renamed);
  }

  down(runner: QueryRunner): Promise<void> {
    return rename(runner, renamed, released);
  }
}
