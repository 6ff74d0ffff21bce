import type { MigrationInterface, QueryRunner } from 'typeorm';

const newestFirst = 'created_at desc, id desc';

const indexes = {
  choices_public: { columns: newestFirst, condition: 'not secret' },
};

/**
 * Adds the owner to the index of public choices, so that a scan that excludes choices of deleted
 * users reads only the index. The new index replaces the old one. Runs outside a transaction,
 * because indexes are built concurrently. After an interrupted run, an invalid index remains, which
 * the next run replaces.
 */
export class ListByOwner implements MigrationInterface {
  readonly name = 'ListByOwner1795703520000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return replaceIndexes(runner, ' include (user_id)');
  }

  down(runner: QueryRunner): Promise<void> {
    return replaceIndexes(runner, '');
  }
}

async function replaceIndexes(runner: QueryRunner, included: string): Promise<void> {
  for (const [name, { columns, condition }] of Object.entries(indexes)) {
    // If only the new index exists, an earlier run was interrupted between the last two statements
    const [replaced] = (await runner.query(
      `select indisvalid as valid from pg_index where indexrelid = to_regclass('${name}_next') and to_regclass('${name}') is null`,
    )) as { valid: boolean }[];
    if (replaced?.valid) {
      await runner.query(`alter index ${name}_next rename to ${name}`);
      continue;
    }
    await runner.query(`drop index if exists ${name}_next`);
    await runner.query(`create index concurrently ${name}_next on choices (${columns})${included} where ${condition}`);
    await runner.query(`drop index concurrently if exists ${name}`);
    await runner.query(`alter index ${name}_next rename to ${name}`);
  }
}
