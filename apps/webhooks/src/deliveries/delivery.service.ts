import { Injectable } from '@nestjs/common';
import { signedWebhookHeaders } from '#contracts';
import { setSpanAttributes, SpanKind, tracedEntry } from '#observability';
import type { StoredSecret } from '../endpoints/endpoint.entity.js';
import { WebhookSecretCipher } from '../endpoints/webhook-secret.crypto.js';
import { toEvent } from '../event-log/event.queries.js';
import { deliveryMetrics } from './delivery.metrics.js';
import { type Claim, DeliveryRepository, type DueDelivery } from './delivery.repository.js';
import type { AttemptResult } from './delivery.rules.js';
import { WebhookClient } from './webhook.client.js';

/** Returns 0 at least, because the times are of two clocks: of the database and of this process. */
const secondsBetween = (from: Date, to: Date): number => Math.max(0, (to.getTime() - from.getTime()) / 1_000);

/** Makes the attempts of deliveries. */
@Injectable()
export class DeliveryService {
  private readonly metrics = deliveryMetrics();

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly cipher: WebhookSecretCipher,
    private readonly client: WebhookClient,
  ) {}

  /**
   * Makes an attempt, unless it was made. An aborted attempt does not count and is made again.
   *
   * @returns false when the endpoint has no further due delivery
   * @throws Error when a secret cannot be decrypted
   */
  async attempt(claim: Claim, signal: AbortSignal): Promise<boolean> {
    const due = await this.deliveries.find(claim);
    if (!due) return true;
    if (!due.isPermitted) {
      await this.deliveries.cancel(claim);
      this.metrics.ended.inc({ outcome: 'cancelled' });
      return true;
    }
    const result = due.endpointStatus === 'enabled' ? await this.send(claim, due, signal) : undefined;
    if (!result) {
      await this.deliveries.release(claim);
      return true;
    }
    const { status, hasMore = true } = (await this.deliveries.record(claim, result)) ?? {};
    if (claim.attempt === 1) this.metrics.delay.observe({}, secondsBetween(due.appendedAt, result.startedAt));
    this.metrics.attempts.observe({ result: result.error ?? 'success' }, result.durationMs / 1_000);
    if (status === 'succeeded' || status === 'failed') this.metrics.ended.inc({ outcome: status });
    return hasMore;
  }

  /** Returns undefined for an aborted attempt. */
  private send({ attempt }: Claim, due: DueDelivery, signal: AbortSignal): Promise<AttemptResult | undefined> {
    const attributes = {
      'messaging.message.id': due.id,
      'storefront.webhook_endpoint_id': due.endpointId,
      'storefront.attempt': attempt,
    };
    const span = { kind: SpanKind.CLIENT, attributes, parent: due.metadata['traceparent'] };
    return tracedEntry('deliver webhook', span, async () => {
      const result = await this.client.send(this.requestOf(due), signal).catch((error: unknown) => {
        if (signal.aborted) return undefined;
        throw error;
      });
      if (result?.statusCode) setSpanAttributes({ 'http.response.status_code': result.statusCode });
      if (result?.error) setSpanAttributes({ 'error.type': result.error });
      return result;
    });
  }

  private requestOf({ url, secrets, ownerId, ...event }: DueDelivery) {
    const body = JSON.stringify(toEvent(event));
    const now = Date.now();
    const isValid = ({ expiresAt }: StoredSecret) => expiresAt === null || Date.parse(expiresAt) > now;
    const decrypted = secrets.filter(isValid).map(({ encrypted }) => this.cipher.decrypt(encrypted, ownerId));
    const message = { id: event.id, timestamp: Math.floor(now / 1_000), body };
    return { url, body, headers: signedWebhookHeaders(message, decrypted) };
  }
}
