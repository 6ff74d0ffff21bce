import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { api, dataDir, type User } from './shop.js';
import { closedUrl } from './webhook-urls.js';

/** Ids of a delivery and its endpoint. */
export interface FailedDelivery {
  readonly endpointId: number;
  readonly deliveryId: number;
}

/** Creates a webhook endpoint whose deliveries fail. */
export async function newEndpoint({ apiKey }: User): Promise<number> {
  const response = await api('POST', '/webhook_endpoints', { token: apiKey, body: { url: closedUrl } });
  if (response.status !== 201) throw new Error(`the webhook endpoint was not created: ${response.status}`);
  return response.body.webhookEndpoint.id;
}

/**
 * Stores a delivery whose last attempt has failed, because the schedule takes days.
 *
 * @param folder data folder of the stack
 */
export async function newFailedDelivery(
  endpointId: number,
  { id }: Pick<User, 'id'>,
  folder: string = dataDir,
): Promise<FailedDelivery> {
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
      [endpointId, id],
    );
    return { endpointId, deliveryId: Number(rows[0]!.id) };
  } finally {
    await owner.end();
  }
}
