import { DataSource } from 'typeorm';
import { testDatabase, type TestDatabase } from '#testing';
import { migrations } from './index.js';

let db: TestDatabase;
let owner: DataSource;

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
