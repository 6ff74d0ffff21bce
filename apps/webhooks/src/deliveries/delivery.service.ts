import { Injectable, Logger } from '@nestjs/common';
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

/** Returns the failure of an attempt that cannot be signed. */
const withoutSecret = (): AttemptResult => ({
  startedAt: new Date(),
  durationMs: 0,
  statusCode: null,
  error: 'no-secret',
  retryAfterMs: 0,
});

/** Makes the attempts of deliveries. */
@Injectable()
export class DeliveryService {
  private readonly logger = new Logger('DeliveryService');
  private readonly metrics = deliveryMetrics();
  private isWarned = false;

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly cipher: WebhookSecretCipher,
    private readonly client: WebhookClient,
  ) {}

  /**
   * Makes an attempt, unless it was made. An aborted attempt does not count and is made again.
   *
   * @returns false when the endpoint has no further due delivery
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
      const request = this.requestOf(due);
      const result = request
        ? await this.client.send(request, signal).catch((error: unknown) => {
            if (signal.aborted) return undefined;
            throw error;
          })
        : withoutSecret();
      if (result?.statusCode) setSpanAttributes({ 'http.response.status_code': result.statusCode });
      if (result?.error) setSpanAttributes({ 'error.type': result.error });
      return result;
    });
  }

  /** Returns undefined if no secret can be decrypted. */
  private requestOf({ url, secrets, ownerId, ...event }: DueDelivery) {
    const body = JSON.stringify(toEvent(event));
    const now = Date.now();
    const isValid = ({ expiresAt }: StoredSecret) => expiresAt === null || Date.parse(expiresAt) > now;
    const valid = secrets.filter(isValid).map(({ encrypted }) => this.cipher.tryDecrypt(encrypted, ownerId));
    const decrypted = valid.filter((secret) => secret !== undefined);
    if (decrypted.length < valid.length) this.warnOnce(event.endpointId);
    if (decrypted.length === 0) return undefined;
    const message = { id: event.id, timestamp: Math.floor(now / 1_000), body };
    return { url, body, headers: signedWebhookHeaders(message, decrypted) };
  }

  /** Logs the first endpoint only: usually the secrets of all endpoints are affected. */
  private warnOnce(endpointId: number): void {
    if (this.isWarned) return;
    this.isWarned = true;
    this.logger.warn(
      `Secrets of webhook endpoint ${endpointId}, and maybe of others, cannot be decrypted: restore the previous ` +
        'WEBHOOK_ENCRYPTION_SECRET, or ask the owners to replace their secrets',
    );
  }
}
