import type { MigrationInterface, QueryRunner } from 'typeorm';

const newestFirst = 'created_at desc, id desc';

const indexes = {
  choices_public: { columns: newestFirst, condition: 'not secret' },
};

/**
 * The owner in the index of public choices, which hides those of deleted users, so that the walk reads nothing but the index.
 * The new index replaces the old one and is built beside the writes, hence outside of a transaction; built anew after an
 * interruption, which leaves one that is not valid.
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
    // Interrupted between the last two statements: the new index is there, and is the only one
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
