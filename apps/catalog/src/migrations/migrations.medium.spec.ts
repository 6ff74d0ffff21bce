import { migrationTester, type MigrationTester } from '#testing';
import { AssignOwnIds } from './20261128T190000-assign-own-ids.js';
import { migrations } from './index.js';

let tested: MigrationTester;

beforeAll(async () => {
  tested = await migrationTester('catalog', migrations);
});
afterAll(() => tested.close());

it('migrations drop all their objects when they are reverted, and create the same objects again', async () => {
  const { before, between, after } = await tested.revertAndReapply();
  expect(before).toContain('item_variants_of_item');
  expect(between).toEqual([]);
  expect(after).toEqual(before);
});

it('migrations that run without a transaction can be repeated in both directions', async () => {
  const before = await tested.listObjects();
  expect([...new Set((await tested.repeatNonTransactional()).map(String))]).toEqual([String(before)]);
});

it('the sequence of own ids starts above the ids that are assigned', async () => {
  const runner = tested.owner.createQueryRunner();
  await runner.query(`insert into colors values (100000041, 'lime', '{"ja": "x", "en": "x"}', '#a0e020')`);
  await new AssignOwnIds().down(runner);
  await new AssignOwnIds().up(runner);
  expect(await runner.query(`select nextval('own_ids')::integer as id`)).toEqual([{ id: 100_000_042 }]);
  await runner.query('delete from colors');
  await runner.release();
});
