import { DataSource, type MigrationInterface } from 'typeorm';
import { eventually, testDatabase, type TestDatabase } from '#testing';
import { ListUsers } from './20261121T090200-list-users.js';
import { migrations } from './index.js';

let db: TestDatabase;
let owner: DataSource;

const isWithoutTransaction = ({ transaction }: MigrationInterface) => transaction === false;

/** Tables, constraints and functions of the schema, by name. */
const made = async () =>
  owner.query<unknown[]>(
    // The table of the migrations themselves and its key stay
    `select relname as name from pg_class where relnamespace = 'accounts'::regnamespace and relname !~ '^(migrations|PK_)'
     union all select conname from pg_constraint where connamespace = 'accounts'::regnamespace and conrelid <> 'migrations'::regclass
     union all select proname from pg_proc where pronamespace = 'accounts'::regnamespace order by 1`,
  );

beforeAll(async () => {
  db = await testDatabase('accounts');
  owner = await new DataSource({
    type: 'postgres',
    url: db.ownerUrl,
    extra: { options: '-c search_path=accounts' },
  }).initialize();
});
afterAll(async () => {
  await owner.destroy();
  await db.close();
});

it('leave nothing behind when they are taken back, and make the same again', async () => {
  const before = await made();
  expect(before).toContainEqual({ name: 'users_newest' });
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

it('keep nobody from signing up while they list users', async () => {
  const runner = owner.createQueryRunner();
  const migration = new ListUsers();
  await migration.down(runner);
  const joining = owner.createQueryRunner();
  await joining.startTransaction();
  await joining.query(`insert into users (name, email) values ('first', 'first@example.com')`);
  const done = migration.up(runner);
  await eventually('the migration waits for the one who is joining', async () => {
    const rows = await owner.query<unknown[]>(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
  const second = `insert into users (name, email) values ('second', 'second@example.com')`;
  await owner.query(`set lock_timeout = 500; ${second}`);
  await joining.commitTransaction();
  await done;
  await joining.release();
  await runner.release();
});
