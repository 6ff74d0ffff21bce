import { testMigrations, type TestMigrations } from '#testing';
import { migrations } from './index.js';

let under: TestMigrations;

beforeAll(async () => {
  under = await testMigrations('material-rendering', migrations);
});
afterAll(() => under.close());

it('leave nothing behind when they are taken back, and make the same again', async () => {
  const { before, between, after } = await under.backAndForth();
  expect(before).toContain('textures');
  expect(between).toEqual([]);
  expect(after).toEqual(before);
});
