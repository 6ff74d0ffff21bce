import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** Ids of a delivery and its endpoint. */
export interface FailedDelivery {
  readonly endpointId: number;
  readonly deliveryId: number;
}

/**
 * Stores an event of a user with a failed delivery. A real delivery fails only after retries for
 * days.
 *
 * @param folder data folder of the stack
 */
export async function storeFailedDelivery(folder: string, endpointId: number, userId: number): Promise<FailedDelivery> {
  const { databaseUrl } = JSON.parse(readFileSync(join(folder, 'stack.json'), 'utf8')) as { databaseUrl: string };
  const owner = new pg.Client(databaseUrl);
  await owner.connect();
  try {
    const { rows } = await owner.query<{ id: string }>(
      `with event as (
         insert into webhooks.events (event_id, user_id, type, sequence, data, metadata, occurred_at)
         values (gen_random_uuid(), $2, 'webhook.test', 1, '{}', '{}', now()) returning position
       )
       insert into webhooks.webhook_deliveries (endpoint_id, position, status, next_attempt_at)
       select $1, position, 'failed', null from event returning id`,
      [endpointId, userId],
    );
    return { endpointId, deliveryId: Number(rows[0]!.id) };
  } finally {
    await owner.end();
  }
}
