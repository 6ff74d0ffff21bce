import { migrationTester, type MigrationTester } from '#testing';
import { migrations } from './index.js';

let tested: MigrationTester;

beforeAll(async () => {
  tested = await migrationTester('activity', migrations);
});
afterAll(() => tested.close());

it('migrations drop all their objects when they are reverted, and create the same objects again', async () => {
  const { before, between, after } = await tested.revertAndReapply();
  expect(before).toContain('activities');
  expect(between).toEqual([]);
  expect(after).toEqual(before);
});

it('claims of many events change no index of the outbox', async () => {
  expect(await tested.hotClaims(500)).toBe(500);
});

it('migrations that run without a transaction can be repeated in both directions', async () => {
  const before = await tested.listObjects();
  expect([...new Set((await tested.repeatNonTransactional()).map(String))]).toEqual([String(before)]);
});
