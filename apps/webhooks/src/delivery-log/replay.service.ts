import { Injectable } from '@nestjs/common';
import type { PayloadOf, ReplyOf, Services, WebhookDelivery } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { RawReply } from '#request-queue';
import { DeliveryLogQueries } from './delivery-log.queries.js';
import { ReplayRepository } from './replay.repository.js';

type Request<Name extends keyof Services['webhooks']> = PayloadOf<Services['webhooks'], Name>;
type DeliveryResponse = ReplyOf<Services['webhooks'], 'webhook-deliveries.replay'>;

const deliveryReply = (webhookDelivery: WebhookDelivery, status: number): RawReply =>
  RawReply.json(JSON.stringify({ webhookDelivery } satisfies DeliveryResponse), { status });

/** Deliveries at the request of the owner of an endpoint. */
@Injectable()
export class ReplayService {
  constructor(
    private readonly replays: ReplayRepository,
    private readonly queries: DeliveryLogQueries,
    private readonly keys: IdempotencyKeys,
  ) {}

  /**
   * Delivers a test event.
   *
   * @throws DomainError webhook-endpoint.not-found, webhook-endpoint.not-enabled; user.not-found
   *   for a deleted user
   */
  test({ idempotency, ...target }: Request<'webhook-endpoints.test'>): Promise<RawReply> {
    const { viewerId, endpointId } = target;
    return this.keys.once({ viewerId, operation: 'webhook-endpoints.test', idempotency }, (storeResponse) =>
      this.replays.test(target, async (tx, deliveryId) =>
        storeResponse(tx, deliveryReply(await this.queries.get(tx, endpointId, deliveryId), 201)),
      ),
    );
  }

  /**
   * Delivers an event again.
   *
   * @throws DomainError webhook-endpoint.not-found, webhook-endpoint.not-enabled,
   *   webhook-delivery.not-found, webhook-delivery.pending
   */
  replay({ idempotency, deliveryId, ...target }: Request<'webhook-deliveries.replay'>): Promise<RawReply> {
    const { viewerId, endpointId } = target;
    return this.keys.once({ viewerId, operation: 'webhook-deliveries.replay', idempotency }, (storeResponse) =>
      this.replays.replay(target, deliveryId, async (tx) =>
        storeResponse(tx, deliveryReply(await this.queries.get(tx, endpointId, deliveryId), 200)),
      ),
    );
  }

  /**
   * Delivers all events again whose delivery has failed since a time. After a timeout the same
   * request continues with the deliveries that were not restarted.
   *
   * @throws DomainError webhook-endpoint.not-found, webhook-endpoint.not-enabled
   */
  replayFailed({ idempotency, since, ...target }: Request<'webhook-deliveries.replay-failed'>): Promise<RawReply> {
    const keyed = { viewerId: target.viewerId, operation: 'webhook-deliveries.replay-failed', idempotency };
    return this.keys.once(keyed, (storeResponse) =>
      this.replays.replayFailed(target, new Date(since), (tx, replayed) =>
        storeResponse(tx, RawReply.json(JSON.stringify({ replayed }))),
      ),
    );
  }
}
