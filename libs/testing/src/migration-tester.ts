import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import type { ServiceName } from '#contracts';
import { testDatabase, type TestDatabase } from './test-database.js';

/** Reverts and repeats the migrations of one service in a separate database. */
export interface MigrationTester {
  readonly db: TestDatabase;
  /** Connected as the owner of the schemas, in the schema of the service. */
  readonly owner: DataSource;
  /**
   * Returns the sorted names of tables, indexes, sequences, views, constraints and functions of the
   * schema.
   */
  listObjects(): Promise<string[]>;
  /**
   * Reverts all migrations and applies them again. Returns the objects before, between and after.
   */
  revertAndReapply(): Promise<{ before: string[]; between: string[]; after: string[] }>;
  /**
   * Applies and reverts twice each migration that runs without a transaction, because an
   * interruption can end such a migration half applied. Later migrations are reverted first and
   * applied again afterwards. Returns the objects after all migrations each time: two lists per
   * migration.
   */
  repeatNonTransactional(): Promise<string[][]>;
  /**
   * Inserts events into the outbox and claims them in one transaction. Returns the number of HOT
   * updates: claims that change no index.
   */
  hotClaims(events: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * Creates a database for tests of migrations, to which all migrations of the service were applied.
 */
export async function migrationTester(
  service: ServiceName,
  migrations: readonly (new () => MigrationInterface)[],
): Promise<MigrationTester> {
  const [typeorm, { schemaOf }] = await Promise.all([import('typeorm'), import('#persistence')]);
  const db = await testDatabase(service);
  const extra = { options: `-c search_path=${schemaOf(service)}` };
  const owner = await new typeorm.DataSource({ type: 'postgres', url: db.ownerUrl, extra }).initialize();
  const all = migrations.map((migration) => new migration());
  const listObjects = () => namesIn(owner, schemaOf(service));
  return {
    db,
    owner,
    listObjects,
    revertAndReapply: () =>
      withRunner(owner, async (runner) => {
        const before = await listObjects();
        for (const migration of [...all].reverse()) await migration.down(runner);
        const between = await listObjects();
        for (const migration of all) await migration.up(runner);
        return { before, between, after: await listObjects() };
      }),
    repeatNonTransactional: () =>
      withRunner(owner, async (runner) => {
        const lists: string[][] = [];
        for (const [index, migration] of all.entries()) {
          if (migration.transaction !== false) continue;
          const later = all.slice(index + 1);
          const repeat = async (work: () => Promise<void>): Promise<void> => {
            for (const each of [...later].reverse()) await each.down(runner);
            await work();
            for (const each of later) await each.up(runner);
            lists.push(await listObjects());
          };
          await repeat(() => migration.up(runner));
          await repeat(async () => {
            await migration.down(runner);
            await migration.down(runner);
            await migration.up(runner);
          });
        }
        return lists;
      }),
    hotClaims: (events) => hotClaims(owner, events),
    close: async () => {
      await owner.destroy();
      await db.close();
    },
  };
}

function hotClaims(owner: DataSource, events: number): Promise<number> {
  return owner.transaction(async (tx) => {
    await tx.query(
      `insert into outbox (id, name, version, payload)
       select gen_random_uuid(), 'test', 1, jsonb_build_object('text', repeat('x', n % 200)) from generate_series(1, $1::integer) as n`,
      [events],
    );
    await tx.query('update outbox set claimed_until = now(), attempts = attempts + 1');
    const [counted] = await tx.query<{ hot: string }[]>(
      `select pg_stat_get_xact_tuples_hot_updated('outbox'::regclass) as hot`,
    );
    await tx.query('delete from outbox');
    return Number(counted!.hot);
  });
}

async function namesIn(owner: DataSource, schema: string): Promise<string[]> {
  const rows = await owner.query<{ name: string }[]>(
    // Without the table `migrations` of TypeORM and its key, which are not reverted
    `select relname as name from pg_class where relnamespace = $1::regnamespace and relname !~ '^(migrations|PK_)'
     union all select conname from pg_constraint where connamespace = $1::regnamespace and conrelid <> 'migrations'::regclass
     union all select proname from pg_proc where pronamespace = $1::regnamespace order by 1`,
    [schema],
  );
  return rows.map(({ name }) => name);
}

async function withRunner<R>(owner: DataSource, work: (runner: QueryRunner) => Promise<R>): Promise<R> {
  const runner = owner.createQueryRunner();
  try {
    return await work(runner);
  } finally {
    await runner.release();
  }
}
