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

it('a claim of many events changes no index of the outbox', async () => {
  const claims = await tested.owner.transaction(async (tx) => {
    await tx.query(
      `insert into outbox (id, name, version, payload)
       select gen_random_uuid(), 'test', 1, jsonb_build_object('text', repeat('x', n % 200)) from generate_series(1, 500) as n`,
    );
    await tx.query('update outbox set claimed_until = now(), attempts = attempts + 1');
    const [counted] = await tx.query<{ hot: string }[]>(
      `select pg_stat_get_xact_tuples_hot_updated('outbox'::regclass) as hot`,
    );
    await tx.query('delete from outbox');
    return Number(counted!.hot);
  });
  expect(claims).toBe(500);
});

it('migrations that run without a transaction can be repeated in both directions', async () => {
  const before = await tested.listObjects();
  expect([...new Set((await tested.repeatNonTransactional()).map(String))]).toEqual([String(before)]);
});
