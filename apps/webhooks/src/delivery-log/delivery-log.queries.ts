import { Injectable } from '@nestjs/common';
import type { PayloadOf, PublicEventType, ReplyOf, Services, WebhookDelivery } from '#contracts';
import { cutPage, Database, pageWindow, type Tx } from '#persistence';
import { RawReply } from '#request-queue';
import type { AttemptEntity } from '../deliveries/attempt.entity.js';
import type { DeliveryEntity } from '../deliveries/delivery.entity.js';
import { endpointNotFound } from '../endpoints/endpoint.errors.js';
import { deliveryNotFound } from './delivery-log.errors.js';

/** Attempt from `json_agg`, which contains times as text. */
type AttemptJson = Omit<AttemptEntity, 'deliveryId' | 'startedAt' | 'nextAttemptAt'> & {
  readonly startedAt: string;
  readonly nextAttemptAt: string | null;
};

type DeliveryRow = Pick<DeliveryEntity, 'id' | 'status' | 'nextAttemptAt' | 'createdAt'> & {
  readonly eventId: string;
  readonly type: PublicEventType;
  readonly attempts: readonly AttemptJson[];
};

const columns = `
  d.id, e.event_id as "eventId", e.type, d.status, d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt", (
    select coalesce(json_agg(json_build_object('number', number, 'startedAt', started_at, 'durationMs', duration_ms,
      'statusCode', status_code, 'error', error, 'nextAttemptAt', next_attempt_at) order by number), '[]')
    from webhook_attempts where delivery_id = d.id
  ) as attempts`;

const iso = (time: Date | string | null): string | null => (time === null ? null : new Date(time).toISOString());

const toWebhookDelivery = ({ attempts, createdAt, nextAttemptAt, ...delivery }: DeliveryRow): WebhookDelivery => ({
  ...delivery,
  createdAt: createdAt.toISOString(),
  nextAttemptAt: iso(nextAttemptAt),
  attempts: attempts.map((attempt) => ({
    ...attempt,
    startedAt: new Date(attempt.startedAt).toISOString(),
    nextAttemptAt: iso(attempt.nextAttemptAt),
  })),
});

/** Deliveries of an endpoint, as its owner sees them. */
@Injectable()
export class DeliveryLogQueries {
  constructor(private readonly database: Database) {}

  /**
   * Returns the deliveries of an endpoint, newest first, as a WebhookDeliveryListResponse.
   *
   * @throws DomainError webhook-endpoint.not-found
   */
  async list(request: PayloadOf<Services['webhooks'], 'webhook-deliveries.list'>): Promise<RawReply> {
    const { viewerId, endpointId, status } = request;
    // The outer join distinguishes an endpoint without deliveries from an unknown one
    const rows = await this.database.read<DeliveryRow | { readonly id: null }>(
      `select page.* from webhook_endpoints w left join lateral (
         select ${columns} from webhook_deliveries d join events e on e.position = d.position
         where d.endpoint_id = w.id and ($3::text is null or d.status = $3)
         order by d.id desc ${pageWindow(request)}
       ) page on true
       where w.id = $1 and w.user_id = $2 and w.deleted_at is null
       order by page.id desc`,
      [endpointId, viewerId, status ?? null],
    );
    if (rows.length === 0) throw endpointNotFound(endpointId);
    const { shown, nextOffset } = cutPage(
      rows.filter((row): row is DeliveryRow => row.id !== null),
      request,
    );
    const body: ReplyOf<Services['webhooks'], 'webhook-deliveries.list'> = {
      webhookDeliveries: shown.map(toWebhookDelivery),
      meta: { hasNext: nextOffset !== null },
    };
    return RawReply.page(JSON.stringify(body), nextOffset);
  }

  /** Returns a delivery of an endpoint. Throws webhook-delivery.not-found. */
  async get(tx: Tx, endpointId: number, deliveryId: number): Promise<WebhookDelivery> {
    const [row] = await tx.query<DeliveryRow[]>(
      `select ${columns} from webhook_deliveries d join events e on e.position = d.position
       where d.id = $2 and d.endpoint_id = $1`,
      [endpointId, deliveryId],
    );
    if (!row) throw deliveryNotFound(deliveryId);
    return toWebhookDelivery(row);
  }
}
