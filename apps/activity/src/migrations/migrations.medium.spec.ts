import { testMigrations, type TestMigrations } from '#testing';
import { migrations } from './index.js';

let under: TestMigrations;

beforeAll(async () => {
  under = await testMigrations('activity', migrations);
});
afterAll(() => under.close());

it('leave nothing behind when they are taken back, and make the same again', async () => {
  const { before, between, after } = await under.revertAndReapply();
  expect(before).toContain('activities');
  expect(between).toEqual([]);
  expect(after).toEqual(before);
});

it('may be done and taken back again after an interruption, where no transaction undoes the half of it', async () => {
  const before = await under.listObjects();
  expect([...new Set((await under.repeatNonTransactional()).map(String))]).toEqual([String(before)]);
});
