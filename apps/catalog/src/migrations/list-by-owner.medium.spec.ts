import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { testDatabase, type TestDatabase } from '#testing';
import { ListByOwner } from './20261126T143100-list-by-owner.js';

let db: TestDatabase;
let owner: pg.Client;

beforeAll(async () => {
  db = await testDatabase('catalog');
  owner = new pg.Client({ connectionString: db.ownerUrl, options: '-c search_path=catalog' });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await db.close();
});

it('does not drop the new index of a run that was interrupted before renaming it', async () => {
  const query = async (sql: string): Promise<unknown[]> => (await owner.query(sql)).rows as unknown[];
  const indexes = () =>
    query(`select to_regclass('products_listed')::oid as id, to_regclass('products_listed_next') as next`);
  const before = await indexes();
  await query('alter index products_listed rename to products_listed_next');
  await new ListByOwner().up({ query } as unknown as QueryRunner);
  expect(await indexes()).toEqual(before);
});
