import { testMigrations, type TestMigrations } from '#testing';
import { migrations } from './index.js';

let under: TestMigrations;

beforeAll(async () => {
  under = await testMigrations('material-rendering', migrations);
});
afterAll(() => under.close());

it('leave nothing behind when they are taken back, and make the same again', async () => {
  const { before, between, after } = await under.revertAndReapply();
  expect(before).toContain('textures');
  expect(between).toEqual([]);
  expect(after).toEqual(before);
});

it('may be done and taken back again after an interruption, where no transaction undoes the half of it', async () => {
  const before = await under.listObjects();
  expect([...new Set((await under.repeatNonTransactional()).map(String))]).toEqual([String(before)]);
});

it('refer to all textures of the version before, batch by batch', async () => {
  await under.owner.query(
    `insert into textures (hash, format, width, height, bytes)
     select encode(sha256(n::text::bytea), 'hex'), 'png', 10, 10, 1 from generate_series(1, 10001) n`,
  );
  await under.repeatNonTransactional();
  const [counted] = await under.owner.query<object[]>(
    'select count(*)::int as count, max(user_id)::int as user from texture_references',
  );
  expect(counted).toEqual({ count: 10_001, user: 0 });
});
