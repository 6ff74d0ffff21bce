import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { WebhookReplayResponse, WebhookSecretResponse } from '#contracts';
import type { Fleet } from '../fleet/fleet.js';
import { Client } from '../load/client.js';
import type { LoadUser } from '../load/load.js';
import { Sender } from '../load/sender.js';
import { Tallies } from '../load/tallies.js';
import type { WebhookReceiver } from './receiver.js';

const path = '/api/v1/webhook_endpoints';

/** Webhook endpoints of users, managed through the API. */
export class Endpoints {
  private readonly client: Client;
  private readonly sender: Sender;
  private readonly owners = new Map<number, LoadUser>();
  private readonly since = new Date().toISOString();

  private constructor(fleet: Fleet) {
    this.client = new Client(fleet.baseUrls);
    this.sender = new Sender(this.client, new Tallies());
  }

  /** Creates an endpoint of each user at the receiver, for all types of events. */
  static async create(fleet: Fleet, users: readonly LoadUser[], receiver: WebhookReceiver): Promise<Endpoints> {
    const endpoints = new Endpoints(fleet);
    for (const user of users) {
      const created = await endpoints.write<typeof WebhookSecretResponse>('POST', path, user, {
        url: receiver.urlOf(user.id),
      });
      fleet.secrets.add(created.secret);
      endpoints.owners.set(created.webhookEndpoint.id, user);
      receiver.add(user.id, created.secret);
    }
    return endpoints;
  }

  get ids(): number[] {
    return [...this.owners.keys()];
  }

  /**
   * Closes the circuit breaker of an endpoint by a pause, and replays its failed deliveries.
   *
   * @returns the number of replayed deliveries
   */
  async recover(id: number): Promise<number> {
    const owner = this.owners.get(id)!;
    for (const status of ['paused', 'enabled']) await this.write('PUT', `${path}/${id}`, owner, { status });
    const body = { since: this.since };
    const replay = `${path}/${id}/deliveries/replay`;
    return (await this.write<typeof WebhookReplayResponse>('POST', replay, owner, body)).replayed;
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async write<Schema extends z.ZodType>(
    method: 'POST' | 'PUT',
    to: string,
    { apiKey }: LoadUser,
    body: object,
  ): Promise<z.output<Schema>> {
    const { response } = await this.sender.write({ method, path: to, apiKey, body, idempotencyKey: randomUUID() });
    if (typeof response?.outcome !== 'number' || response.outcome >= 300)
      throw new Error(`${method} ${to} returned ${response?.outcome}: ${JSON.stringify(response?.body)}`);
    return response.body as z.output<Schema>;
  }
}
