import { type FailedDelivery, storeFailedDelivery } from './failed-delivery.js';
import { api, dataDir, type User } from './shop.js';
import { closedUrl } from './webhook-urls.js';

/** Creates a webhook endpoint whose deliveries fail. Returns its id. */
export async function newEndpoint({ apiKey }: User): Promise<number> {
  const response = await api('POST', '/webhook_endpoints', { token: apiKey, body: { url: closedUrl } });
  if (response.status !== 201) throw new Error(`the webhook endpoint was not created: ${response.status}`);
  return response.body.webhookEndpoint.id;
}

/** Stores a failed delivery of an event of the user. */
export const newFailedDelivery = (endpointId: number, { id }: User): Promise<FailedDelivery> =>
  storeFailedDelivery(dataDir, endpointId, id);
