import { eventually, testMigrations, type TestMigrations } from '#testing';
import { ListUsers } from './20261121T090200-list-users.js';
import { migrations } from './index.js';

let under: TestMigrations;

beforeAll(async () => {
  under = await testMigrations('accounts', migrations);
});
afterAll(() => under.close());

it('leave nothing behind when they are taken back, and make the same again', async () => {
  const { before, between, after } = await under.revertAndReapply();
  expect(before).toContain('users_newest');
  expect(between).toEqual([]);
  expect(after).toEqual(before);
});

it('may be done and taken back again after an interruption, where no transaction undoes the half of it', async () => {
  const before = await under.listObjects();
  expect([...new Set((await under.repeatNonTransactional()).map(String))]).toEqual([String(before)]);
});

it('keep nobody from signing up while they list users', async () => {
  const runner = under.owner.createQueryRunner();
  const migration = new ListUsers();
  // Sessions whose process ids have the same remainder by 16 mark changes in the same row, and wait for each other
  await under.owner.query('alter table users disable trigger users_mark_change');
  await migration.down(runner);
  const joining = under.owner.createQueryRunner();
  await joining.startTransaction();
  await joining.query(`insert into users (name, email) values ('first', 'first@example.com')`);
  const done = migration.up(runner);
  await eventually('the migration waits for the one who is joining', async () => {
    const rows = await under.owner.query<unknown[]>(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
  const second = `insert into users (name, email) values ('second', 'second@example.com')`;
  await under.owner.query(`set lock_timeout = 500; ${second}`);
  await joining.commitTransaction();
  await done;
  await joining.release();
  await runner.release();
});
