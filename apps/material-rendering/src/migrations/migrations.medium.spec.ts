import { migrationTester, type MigrationTester } from '#testing';
import { migrations } from './index.js';

let tested: MigrationTester;

beforeAll(async () => {
  tested = await migrationTester('material-rendering', migrations);
});
afterAll(() => tested.close());

it('migrations drop all their objects when they are reverted, and create the same objects again', async () => {
  const { before, between, after } = await tested.revertAndReapply();
  expect(before).toContain('textures');
  expect(between).toEqual([]);
  expect(after).toEqual(before);
});

it('migrations that run without a transaction can be repeated in both directions', async () => {
  const before = await tested.listObjects();
  expect([...new Set((await tested.repeatNonTransactional()).map(String))]).toEqual([String(before)]);
});

it('ReferToTexturesWithoutUser adds a reference to every texture of the previous version, in batches', async () => {
  await tested.owner.query(
    `insert into textures (hash, format, width, height, bytes)
     select encode(sha256(n::text::bytea), 'hex'), 'png', 10, 10, 1 from generate_series(1, 10001) n`,
  );
  await tested.repeatNonTransactional();
  const [counted] = await tested.owner.query<object[]>(
    'select count(*)::int as count, max(user_id)::int as user from texture_references',
  );
  expect(counted).toEqual({ count: 10_001, user: 0 });
});
