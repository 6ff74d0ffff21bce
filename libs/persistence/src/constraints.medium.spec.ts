import { DataSource, type QueryRunner } from 'typeorm';
import { testDatabase, type TestDatabase } from '#testing';
import { addConstraints, dropConstraints } from './constraints.js';

let db: TestDatabase;
let owner: DataSource;
let runner: QueryRunner;
const constraints = { cups: { cups_size: 'check (size > 0)', cups_name: "check (name <> '')" } };

const readConstraints = async (): Promise<unknown> =>
  owner.query(
    `select conname, convalidated from pg_constraint where conrelid = 'cups'::regclass and contype = 'c' order by 1`,
  );

beforeAll(async () => {
  db = await testDatabase('social');
  const extra = { options: '-c search_path=social' };
  owner = await new DataSource({ type: 'postgres', url: db.ownerUrl, extra }).initialize();
  runner = owner.createQueryRunner();
  await owner.query('create table cups (size integer, name text)');
});
beforeEach(async () => {
  await dropConstraints(runner, constraints);
  await owner.query('delete from cups');
});
afterAll(async () => {
  await runner.release();
  await owner.destroy();
  await db.close();
});

it('addConstraints adds validated constraints, also when they are added twice', async () => {
  await owner.query(`insert into cups values (1, 'x')`);
  await addConstraints(runner, constraints);
  await addConstraints(runner, constraints);
  expect(await readConstraints()).toEqual([
    { conname: 'cups_name', convalidated: true },
    { conname: 'cups_size', convalidated: true },
  ]);
});

it('addConstraints names the constraint that a row violates, and new rows are checked', async () => {
  await owner.query(`insert into cups values (0, 'x')`);
  await expect(addConstraints(runner, constraints)).rejects.toThrow(/"cups_size"/);
  await expect(owner.query(`insert into cups values (-1, 'x')`)).rejects.toThrow(/"cups_size"/);
  await owner.query('update cups set size = 1');
  await addConstraints(runner, constraints);
  expect(await readConstraints()).toContainEqual({ conname: 'cups_size', convalidated: true });
});
