import { testConstraints, type TestConstraints } from '#testing';

let constraints: TestConstraints;

const rows = `
  insert into events (event_id, user_id, type, sequence, data, metadata, occurred_at)
    values (gen_random_uuid(), 1, 'sale.recorded', 1, '{}', '{}', now());
  insert into resources values ('material:1', 1, 1, null);
  insert into early_events values (gen_random_uuid(), 'material:1', 3, false, '[]', 'material.updated', '[]', '{}', now());
  insert into webhook_endpoints (user_id, url, description, secrets)
    values (1, 'https://example.com', '', '[{"encrypted": "x", "expiresAt": null}]');
  insert into webhook_deliveries (endpoint_id, position) select 1, position from events;
  insert into webhook_attempts values (1, 1, now(), 5, 500, 'status', now());`;

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
  early_events_ended: "update early_events set ended = '{}'",
  webhook_endpoints_user: 'update webhook_endpoints set user_id = 0',
  webhook_endpoints_url: "update webhook_endpoints set url = 'ftp://example.com'",
  webhook_endpoints_description: "update webhook_endpoints set description = repeat('x', 256)",
  webhook_endpoints_secrets: "update webhook_endpoints set secrets = '[]'",
  webhook_endpoints_status: "update webhook_endpoints set status = 'open'",
  webhook_endpoints_disabled: "update webhook_endpoints set status = 'disabled'",
  webhook_endpoints_disabled_reason: "update webhook_endpoints set status = 'disabled', disabled_reason = 'x'",
  webhook_endpoints_deleted: 'update webhook_endpoints set deleted_at = now()',
  webhook_endpoints_failures: 'update webhook_endpoints set failures = 1',
  webhook_endpoints_open: 'update webhook_endpoints set open_until = now()',
  webhook_deliveries_unique: 'insert into webhook_deliveries (endpoint_id, position) select 1, position from events',
  webhook_deliveries_endpoint_fk: 'update webhook_deliveries set endpoint_id = 9',
  webhook_deliveries_event_fk: 'update webhook_deliveries set position = 0',
  webhook_deliveries_status: "update webhook_deliveries set status = 'x', next_attempt_at = null",
  webhook_deliveries_pending: "update webhook_deliveries set status = 'failed'",
  webhook_deliveries_claimed:
    "update webhook_deliveries set status = 'failed', next_attempt_at = null, claimed_until = now()",
  webhook_deliveries_counts: 'update webhook_deliveries set schedule_step = 1',
  webhook_attempts_pkey: 'insert into webhook_attempts select * from webhook_attempts',
  webhook_attempts_delivery_fk: 'update webhook_attempts set delivery_id = 9',
  webhook_attempts_counts: 'update webhook_attempts set duration_ms = -1',
  webhook_attempts_status_code: 'update webhook_attempts set status_code = 1000',
  webhook_attempts_outcome: 'update webhook_attempts set status_code = null, error = null',
  webhook_attempts_error: "update webhook_attempts set error = 'other'",
};

it('each constraint rejects the statement that violates it', async () => {
  expect(await constraints.findMismatches(violations)).toEqual([]);
});
