import { DataSource, type MigrationInterface } from 'typeorm';
import { eventually, testDatabase, type TestDatabase } from '#testing';
import { ListFavorites } from './20261121T090200-list-favorites.js';
import { migrations } from './index.js';

let db: TestDatabase;
let owner: DataSource;

const isWithoutTransaction = ({ transaction }: MigrationInterface) => transaction === false;

/** Tables, constraints and functions of the schema, by name. */
const made = async () =>
  owner.query<unknown[]>(
    // The table of the migrations themselves and its key stay
    `select relname as name from pg_class where relnamespace = 'social'::regnamespace and relname !~ '^(migrations|PK_)'
     union all select conname from pg_constraint where connamespace = 'social'::regnamespace and conrelid <> 'migrations'::regclass
     union all select proname from pg_proc where pronamespace = 'social'::regnamespace order by 1`,
  );

beforeAll(async () => {
  db = await testDatabase('social');
  owner = await new DataSource({
    type: 'postgres',
    url: db.ownerUrl,
    extra: { options: '-c search_path=social' },
  }).initialize();
});
afterAll(async () => {
  await owner.destroy();
  await db.close();
});

it('leave nothing behind when they are taken back, and make the same again', async () => {
  const before = await made();
  expect(before).toContainEqual({ name: 'choice_products_position' });
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

describe('what the catalog publishes', () => {
  const asService = (sql: string) => db.database.query(sql);

  it('is who may see a product', async () => {
    await expect(asService('select id, user_id, item_id, listed from catalog.products')).resolves.toEqual([]);
  });

  it.each([
    'select material_id from catalog.products',
    'select id from catalog.materials',
    'delete from catalog.products',
    'update catalog.products set published = true',
  ])('is not: %s', async (sql) => {
    await expect(asService(sql)).rejects.toThrow('permission denied');
  });
});

it('keep nobody from placing a favorite while they list favorites', async () => {
  const runner = owner.createQueryRunner();
  const migration = new ListFavorites();
  await migration.down(runner);
  const placing = owner.createQueryRunner();
  await placing.startTransaction();
  const place = (productId: number) =>
    `with total as (insert into product_favorites values (${productId}, 1))
     insert into favorites (product_id, user_id, count, anonymous, x, y, rotation) values (${productId}, 1, 1, false, 0, 0, 0)`;
  await placing.query(place(1));
  const done = migration.up(runner);
  await eventually('the migration waits for the one that is being placed', async () => {
    const rows = await owner.query<unknown[]>(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
  await owner.query(`set lock_timeout = 500; ${place(2)}`);
  await placing.commitTransaction();
  await done;
  await placing.release();
  await runner.release();
});
