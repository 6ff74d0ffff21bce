import { DataSource, type MigrationInterface } from 'typeorm';
import { testDatabase, type TestDatabase } from '#testing';
import { migrations } from './index.js';

let db: TestDatabase;
let owner: DataSource;

const isWithoutTransaction = ({ transaction }: MigrationInterface) => transaction === false;

/** Tables, constraints and functions of the schema, by name. */
const made = async () =>
  owner.query<unknown[]>(
    // The table of the migrations themselves and its key stay
    `select relname as name from pg_class where relnamespace = 'catalog'::regnamespace and relname !~ '^(migrations|PK_)'
     union all select conname from pg_constraint where connamespace = 'catalog'::regnamespace and conrelid <> 'migrations'::regclass
     union all select proname from pg_proc where pronamespace = 'catalog'::regnamespace order by 1`,
  );

beforeAll(async () => {
  db = await testDatabase('catalog');
  owner = await new DataSource({
    type: 'postgres',
    url: db.ownerUrl,
    extra: { options: '-c search_path=catalog' },
  }).initialize();
});
afterAll(async () => {
  await owner.destroy();
  await db.close();
});

it('leave nothing behind when they are taken back, and make the same again', async () => {
  const before = await made();
  expect(before).toContainEqual({ name: 'item_variants_of_item' });
  const runner = owner.createQueryRunner();
  for (const migration of [...migrations].reverse()) await new migration().down(runner);
  expect(await made()).toEqual([]);
  for (const migration of migrations) await new migration().up(runner);
  expect(await made()).toEqual(before);
  await runner.release();
});

it('may be done and taken back again after an interruption, where no transaction undoes the half of it', async () => {
  const before = await made();
  const runner = owner.createQueryRunner();
  const repeatable = migrations.map((migration): MigrationInterface => new migration()).filter(isWithoutTransaction);
  for (const migration of repeatable) {
    await migration.up(runner);
    expect(await made()).toEqual(before);
    await migration.down(runner);
    await migration.down(runner);
    await migration.up(runner);
    expect(await made()).toEqual(before);
  }
  expect(repeatable).toHaveLength(1);
  await runner.release();
});
