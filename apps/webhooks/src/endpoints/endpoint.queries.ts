import { Injectable } from '@nestjs/common';
import type { WebhookEndpoint } from '#contracts';
import { Database, type Run, type Tx } from '#persistence';
import { endpointNotFound } from './endpoint.errors.js';
import { type EndpointRow, toWebhookEndpoint } from './endpoint.json.js';
import type { EndpointTarget } from './endpoint.repository.js';
import { WebhookSecretCipher } from './webhook-secret.crypto.js';

const selectOwn = `
  select id, user_id as "userId", application_id as "applicationId", url, description, types, secrets, status,
    disabled_reason as "disabledReason", failing_since as "failingSince", created_at as "createdAt", (
      select status from webhook_deliveries where endpoint_id = e.id order by id desc limit 1
    ) as "lastDelivery"
  from webhook_endpoints e where user_id = $1 and deleted_at is null`;

@Injectable()
export class EndpointQueries {
  constructor(
    private readonly database: Database,
    private readonly cipher: WebhookSecretCipher,
  ) {}

  /** Returns the endpoints of a user, newest first. */
  async list(viewerId: number): Promise<WebhookEndpoint[]> {
    const rows = await this.database.read<EndpointRow>(`${selectOwn} order by id desc`, [viewerId]);
    return rows.map((row) => toWebhookEndpoint(row, this.cipher));
  }

  /**
   * Returns an endpoint of the viewer.
   *
   * @param tx transaction whose uncommitted changes are included
   * @throws DomainError webhook-endpoint.not-found
   */
  async get({ viewerId, endpointId }: EndpointTarget, tx?: Tx): Promise<WebhookEndpoint> {
    const run: Run = (sql, parameters) => (tx ? tx.query(sql, [...parameters]) : this.database.read(sql, parameters));
    const [row] = await run<EndpointRow>(`${selectOwn} and id = $2`, [viewerId, endpointId]);
    if (!row) throw endpointNotFound(endpointId);
    return toWebhookEndpoint(row, this.cipher);
  }
}
