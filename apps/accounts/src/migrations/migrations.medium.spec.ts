import { eventually, migrationTester, type MigrationTester } from '#testing';
import { ListUsers } from './20261121T090200-list-users.js';
import { RenameDataVersions } from './20261127T100100-rename-data-versions.js';
import { migrations } from './index.js';

let tested: MigrationTester;

beforeAll(async () => {
  tested = await migrationTester('accounts', migrations);
});
afterAll(() => tested.close());

it('migrations drop all their objects when they are reverted, and create the same objects again', async () => {
  const { before, between, after } = await tested.revertAndReapply();
  expect(before).toContain('users_newest');
  expect(between).toEqual([]);
  expect(after).toEqual(before);
});

it('migrations that run without a transaction can be repeated in both directions', async () => {
  const before = await tested.listObjects();
  expect([...new Set((await tested.repeatNonTransactional()).map(String))]).toEqual([String(before)]);
});

it('RenameDataVersions copies the data version and its grant, in both directions', async () => {
  const runner = tested.owner.createQueryRunner();
  const migration = new RenameDataVersions();
  const grantedVersion = () =>
    tested.owner.query<object[]>(
      `select sum(version) as version, has_table_privilege('storefront_catalog', 'data_versions', 'select') as granted
       from data_versions`,
    );
  await tested.owner.query(`insert into users (name, email) values ('versioned', 'versioned@example.com')`);
  const before = await grantedVersion();
  expect(before).toEqual([{ version: expect.stringMatching(/^[1-9]/) as string, granted: true }]);
  await migration.down(runner);
  await migration.up(runner);
  await runner.release();
  expect(await grantedVersion()).toEqual(before);
});

it('ListUsers does not block the creation of accounts while it creates the index', async () => {
  const runner = tested.owner.createQueryRunner();
  const migration = new ListUsers();
  // With the trigger, an insert would wait for that of the open transaction if the process ids of
  // the two sessions are equal modulo 16: both would update the same row of data_versions
  await tested.owner.query('alter table users disable trigger users_data_version');
  await migration.down(runner);
  const signingUp = tested.owner.createQueryRunner();
  await signingUp.startTransaction();
  await signingUp.query(`insert into users (name, email) values ('first', 'first@example.com')`);
  const done = migration.up(runner);
  await eventually('the migration waits for the open transaction', async () => {
    const rows = await tested.owner.query<unknown[]>(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
  const second = `insert into users (name, email) values ('second', 'second@example.com')`;
  await tested.owner.query(`set lock_timeout = 500; ${second}`);
  await signingUp.commitTransaction();
  await done;
  await signingUp.release();
  await runner.release();
});
