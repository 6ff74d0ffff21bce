import pg from 'pg';
import { Redis } from 'ioredis';
import { testDatabase, testRedisUrl, type TestDatabase } from './index.js';

describe('testDatabase and testRedisUrl', () => {
  let first: TestDatabase;
  let second: TestDatabase;

  beforeAll(async () => {
    [first, second] = await Promise.all([testDatabase('accounts'), testDatabase('accounts')]);
  });

  afterAll(async () => {
    await Promise.all([first.close(), second.close()]);
  });

  it('returns a migrated database, connected as the role of the service and in its schema', async () => {
    const [row] = await first.database.query<{ role: string; schema: string; migrations: number }>(
      'select current_user as role, current_schema() as schema, (select count(*) from migrations) as migrations',
    );
    expect(row).toMatchObject({ role: 'storefront_accounts', schema: 'accounts' });
    expect(row?.migrations).toBeGreaterThan(0);
  });

  it('returns a separate database per call', () => {
    const names = [first, second].map(({ url }) => new URL(url).pathname);
    expect(new Set(names).size).toBe(2);
  });

  it('drops the database on close', async () => {
    const third = await testDatabase('social');
    const owner = new pg.Client(first.ownerUrl);
    await owner.connect();
    const named = 'select count(*)::int as count from pg_database where datname = $1';
    const name = new URL(third.url).pathname.slice(1);
    expect((await owner.query(named, [name])).rows).toEqual([{ count: 1 }]);
    await third.close();
    expect((await owner.query(named, [name])).rows).toEqual([{ count: 0 }]);
    await owner.end();
  });

  it('returns another logical Redis database per call', async () => {
    const urls = [testRedisUrl(), testRedisUrl()];
    const [one, two] = urls.map((url) => new Redis(url));
    await one!.set('key', 'value');
    expect(await two!.get('key')).toBeNull();
    expect(await one!.get('key')).toBe('value');
    one!.disconnect();
    two!.disconnect();
  });
});
