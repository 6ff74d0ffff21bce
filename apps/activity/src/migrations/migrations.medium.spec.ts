import { migrationTester, type MigrationTester } from '#testing';
import { migrations } from './index.js';

let tested: MigrationTester;

beforeAll(async () => {
  tested = await migrationTester('activity', migrations);
});
afterAll(() => tested.close());

it('remove all objects when they are reverted, and create the same objects again', async () => {
  const { before, between, after } = await tested.revertAndReapply();
  expect(before).toContain('activities');
  expect(between).toEqual([]);
  expect(after).toEqual(before);
});

it('can be repeated in both directions when they run without a transaction', async () => {
  const before = await tested.listObjects();
  expect([...new Set((await tested.repeatNonTransactional()).map(String))]).toEqual([String(before)]);
});
