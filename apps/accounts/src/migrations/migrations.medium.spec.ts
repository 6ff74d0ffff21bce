import { DataSource } from 'typeorm';
import { testDatabase, type TestDatabase } from '#testing';
import { migrations } from './index.js';

let db: TestDatabase;
let owner: DataSource;

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
