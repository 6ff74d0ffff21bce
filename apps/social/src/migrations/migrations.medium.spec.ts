import { eventually, testMigrations, type TestMigrations } from '#testing';
import { ListFavorites } from './20261121T090200-list-favorites.js';
import { migrations } from './index.js';

let under: TestMigrations;

beforeAll(async () => {
  under = await testMigrations('social', migrations);
});
afterAll(() => under.close());

it('leave nothing behind when they are taken back, and make the same again', async () => {
  const { before, between, after } = await under.revertAndReapply();
  expect(before).toContain('choice_products_position');
  expect(between).toEqual([]);
  expect(after).toEqual(before);
});

it('may be done and taken back again after an interruption, where no transaction undoes the half of it', async () => {
  const before = await under.listObjects();
  expect([...new Set((await under.repeatNonTransactional()).map(String))]).toEqual([String(before)]);
});

describe('what the catalog publishes', () => {
  const asService = (sql: string) => under.db.database.query(sql);

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
  const runner = under.owner.createQueryRunner();
  const migration = new ListFavorites();
  await migration.down(runner);
  const placing = under.owner.createQueryRunner();
  await placing.startTransaction();
  const place = (productId: number) =>
    `with total as (insert into product_favorites values (${productId}, 1))
     insert into favorites (product_id, user_id, count, anonymous, x, y, rotation) values (${productId}, 1, 1, false, 0, 0, 0)`;
  await placing.query(place(1));
  const done = migration.up(runner);
  await eventually('the migration waits for the one that is being placed', async () => {
    const rows = await under.owner.query<unknown[]>(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
  await under.owner.query(`set lock_timeout = 500; ${place(2)}`);
  await placing.commitTransaction();
  await done;
  await placing.release();
  await runner.release();
});
