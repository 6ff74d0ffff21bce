import { DataSource, type QueryRunner } from 'typeorm';
import { eventually, testDatabase, type TestDatabase } from '#testing';
import { addConstraints, dropConstraints } from './constraints.js';

let db: TestDatabase;
let owner: DataSource;
let runner: QueryRunner;
const rules = { cups: { cups_size: 'check (size > 0)', cups_name: "check (name <> '')" } };

const valid = async (): Promise<unknown> =>
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
  await dropConstraints(runner, rules);
  await owner.query('delete from cups');
});
afterAll(async () => {
  await runner.release();
  await owner.destroy();
  await db.close();
});

it('hold for rows that are there and for new ones, also when they are added twice', async () => {
  await owner.query(`insert into cups values (1, 'x')`);
  await addConstraints(runner, rules);
  await addConstraints(runner, rules);
  expect(await valid()).toEqual([
    { conname: 'cups_name', convalidated: true },
    { conname: 'cups_size', convalidated: true },
  ]);
});

it('are named when a row breaks one, and then hold for new rows', async () => {
  await owner.query(`insert into cups values (0, 'x')`);
  await expect(addConstraints(runner, rules)).rejects.toThrow(/"cups_size"/);
  await expect(owner.query(`insert into cups values (-1, 'x')`)).rejects.toThrow(/"cups_size"/);
  await owner.query('update cups set size = 1');
  await addConstraints(runner, rules);
  expect(await valid()).toContainEqual({ conname: 'cups_size', convalidated: true });
});

it('give way to others while somebody holds the table, and are added when it is free', async () => {
  const holder = owner.createQueryRunner();
  await holder.startTransaction();
  await holder.query(`insert into cups values (1, 'x')`);
  const added = addConstraints(runner, rules);
  const waits = async (): Promise<boolean> =>
    (
      await owner.query<unknown[]>(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'alter table'`,
      )
    ).length > 0;
  await eventually('it waits', waits);
  await eventually('it gives way', async () => !(await waits()));
  await holder.commitTransaction();
  await holder.release();
  await added;
  expect(await valid()).toHaveLength(2);
});
