import { migrationTester, type MigrationTester } from '#testing';
import { migrations } from './index.js';

let tested: MigrationTester;

beforeAll(async () => {
  tested = await migrationTester('webhooks', migrations);
});
afterAll(() => tested.close());

it('migrations drop all their objects when they are reverted, and create the same objects again', async () => {
  const { before, between, after } = await tested.revertAndReapply();
  expect(before).toContain('events');
  expect(between).toEqual([]);
  expect(after).toEqual(before);
});
