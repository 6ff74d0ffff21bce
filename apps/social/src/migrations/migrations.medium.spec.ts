import { eventually, migrationTester, type MigrationTester } from '#testing';
import { ListFavorites } from './20261121T090200-list-favorites.js';
import { RenameDeletedUsers } from './20261127T100000-rename-deleted-users.js';
import { migrations } from './index.js';

let tested: MigrationTester;

beforeAll(async () => {
  tested = await migrationTester('social', migrations);
});
afterAll(() => tested.close());

it('migrations drop all their objects when they are reverted, and create the same objects again', async () => {
  const { before, between, after } = await tested.revertAndReapply();
  expect(before).toContain('choice_products_position');
  expect(between).toEqual([]);
  expect(after).toEqual(before);
});

it('claims of many events change no index of the outbox', async () => {
  expect(await tested.hotClaims(500)).toBe(500);
});

it('migrations that run without a transaction can be repeated in both directions', async () => {
  const before = await tested.listObjects();
  expect([...new Set((await tested.repeatNonTransactional()).map(String))]).toEqual([String(before)]);
});

it('RenameDeletedUsers copies the deleted users, in both directions', async () => {
  const runner = tested.owner.createQueryRunner();
  const migration = new RenameDeletedUsers();
  const deletedUsers = () => tested.owner.query<object[]>('select * from deleted_users');
  await tested.owner.query('insert into deleted_users values (7)');
  const before = await deletedUsers();
  await migration.down(runner);
  await migration.up(runner);
  await runner.release();
  expect(await deletedUsers()).toEqual(before);
});

describe('the grants of catalog to social', () => {
  const asService = (sql: string) => tested.db.database.query(sql);

  it('include the columns for the visibility of products', async () => {
    await expect(asService('select id, user_id, item_id, listed from catalog.products')).resolves.toEqual([]);
  });

  it.each([
    'select material_id from catalog.products',
    'select id from catalog.materials',
    'delete from catalog.products',
    'update catalog.products set published = true',
  ])('exclude: %s', async (sql) => {
    await expect(asService(sql)).rejects.toThrow('permission denied');
  });
});

it('ListFavorites does not block new favorites while it creates indexes', async () => {
  const runner = tested.owner.createQueryRunner();
  const migration = new ListFavorites();
  await migration.down(runner);
  const placing = tested.owner.createQueryRunner();
  await placing.startTransaction();
  const place = (productId: number) =>
    `with total as (insert into product_favorites values (${productId}, 1))
     insert into favorites (product_id, user_id, count, anonymous, x, y, rotation) values (${productId}, 1, 1, false, 0, 0, 0)`;
  await placing.query(place(1));
  const done = migration.up(runner);
  await eventually('the migration waits for the open transaction', async () => {
    const rows = await tested.owner.query<unknown[]>(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
  await tested.owner.query(`set lock_timeout = 500; ${place(2)}`);
  await placing.commitTransaction();
  await done;
  await placing.release();
  await runner.release();
});
