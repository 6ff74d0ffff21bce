import { testConstraints, type TestConstraints } from '#testing';

let constraints: TestConstraints;

const rows = `
  insert into events (event_id, user_id, type, sequence, data, metadata, occurred_at)
    values (gen_random_uuid(), 1, 'sale.recorded', 1, '{}', '{}', now());
  insert into resources values ('material:1', 1, 1, null);
  insert into early_events values (gen_random_uuid(), 'material:1', 3, false, false, 'material.updated', '[]', '{}', now());`;

beforeAll(async () => {
  constraints = await testConstraints('webhooks', rows);
});
afterAll(() => constraints.close());

/** For each constraint, a statement that violates it and no other. */
const violations: Readonly<Record<string, string>> = {
  events_user: 'update events set user_id = 0',
  events_sequence: 'update events set sequence = 0',
  events_shapes: "update events set data = '[]'",
  events_size:
    "update events set data = jsonb_build_object('x', (select string_agg(gen_random_uuid()::text, '') from generate_series(1, 700)))",
  deleted_events_singleton: 'insert into deleted_events values (false, 1)',
  resources_counts: 'update resources set sequence = -1',
  early_events_revision: 'update early_events set revision = 0',
};

it('each constraint rejects the statement that violates it', async () => {
  expect(await constraints.findMismatches(violations)).toEqual([]);
});
