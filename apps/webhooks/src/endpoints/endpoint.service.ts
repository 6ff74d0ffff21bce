import { Injectable } from '@nestjs/common';
import {
  generateWebhookPrivateKey,
  generateWebhookSecret,
  type PayloadOf,
  type ReplyOf,
  type Services,
  type WebhookEndpoint,
  webhookPublicKeyOf,
} from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { AddressNotAllowed, outboundUrl } from '#outbound';
import { RawReply } from '#request-queue';
import { WebhooksEnv } from '../env.js';
import type { StoredSecret } from './endpoint.entity.js';
import { urlNotAllowed } from './endpoint.errors.js';
import { EndpointQueries } from './endpoint.queries.js';
import { EndpointRepository, type EndpointTarget } from './endpoint.repository.js';
import { changedColumns, currentSecrets, rotated, urlRules, withoutFailures } from './endpoint.rules.js';
import { WebhookSecretCipher } from './webhook-secret.crypto.js';

type Request<Name extends keyof Services['webhooks']> = PayloadOf<Services['webhooks'], Name>;
type SecretResponse = ReplyOf<Services['webhooks'], 'webhook-endpoints.create'>;

/** Changes to webhook endpoints. */
@Injectable()
export class EndpointService {
  constructor(
    private readonly endpoints: EndpointRepository,
    private readonly queries: EndpointQueries,
    private readonly keys: IdempotencyKeys,
    private readonly cipher: WebhookSecretCipher,
    private readonly env: WebhooksEnv,
  ) {}

  /**
   * Creates an endpoint, and returns its secret, which no later response contains.
   *
   * @throws DomainError webhook-endpoint.url-not-allowed, webhook-endpoint.too-many,
   *   application.not-found; user.not-found for a deleted user
   */
  async create({
    viewerId,
    idempotency,
    signature,
    ...fields
  }: Request<'webhook-endpoints.create'>): Promise<RawReply> {
    const secret = generateWebhookSecret();
    const keyed = { viewerId, operation: 'webhook-endpoints.create', idempotency };
    const reply = await this.keys.once(keyed, (storeResponse) => {
      this.checkUrl(fields.url);
      const secrets = this.newSecrets(secret, signature === 'v1a', viewerId);
      const types = [...new Set(fields.types)];
      return this.endpoints.create({ ...fields, types, userId: viewerId, secrets }, async (tx, endpointId) =>
        storeResponse(tx, this.sealed(await this.queries.get({ viewerId, endpointId }, tx), viewerId, secret, 201)),
      );
    });
    return this.unsealed(reply, viewerId);
  }

  /**
   * Changes the fields in the request.
   *
   * @throws DomainError webhook-endpoint.url-not-allowed, webhook-endpoint.not-found
   */
  async update({ viewerId, endpointId, ...fields }: Request<'webhook-endpoints.update'>): Promise<WebhookEndpoint> {
    if (fields.url !== undefined) this.checkUrl(fields.url);
    const target = { viewerId, endpointId };
    return this.endpoints.update(
      target,
      (endpoint) => changedColumns(endpoint, fields),
      (tx) => this.queries.get(target, tx),
    );
  }

  /** Deletes an endpoint with its deliveries. Throws webhook-endpoint.not-found. */
  delete(target: EndpointTarget): Promise<void> {
    return this.endpoints.delete(target);
  }

  /**
   * Replaces the secret and the private key, if the endpoint has one, and returns the new secret.
   * Old ones that cannot be decrypted are removed. Then the attempts start without failures,
   * because none could be signed.
   *
   * @throws DomainError webhook-endpoint.not-found
   */
  async rotateSecret({
    viewerId,
    endpointId,
    idempotency,
  }: Request<'webhook-endpoints.rotate-secret'>): Promise<RawReply> {
    const target = { viewerId, endpointId };
    const secret = generateWebhookSecret();
    const keyed = { viewerId, operation: 'webhook-endpoints.rotate-secret', idempotency };
    const reply = await this.keys.once(keyed, (storeResponse) =>
      this.endpoints.update(
        target,
        ({ secrets }) => {
          const added = this.newSecrets(secret, currentSecrets(secrets).length > 1, viewerId);
          const usable = secrets.filter(({ encrypted }) => this.cipher.tryDecrypt(encrypted, viewerId) !== undefined);
          return {
            secrets: rotated(usable, added, new Date()),
            ...(currentSecrets(usable).length === 0 && withoutFailures),
          };
        },
        async (tx) => storeResponse(tx, this.sealed(await this.queries.get(target, tx), viewerId, secret, 200)),
      ),
    );
    return this.unsealed(reply, viewerId);
  }

  /** Returns a secret to store, followed by a new private key if the endpoint has one. */
  private newSecrets(secret: string, hasPrivateKey: boolean, viewerId: number): StoredSecret[] {
    const stored: StoredSecret = { encrypted: this.cipher.encrypt(secret, viewerId), expiresAt: null };
    if (!hasPrivateKey) return [stored];
    const privateKey = generateWebhookPrivateKey();
    const encrypted = this.cipher.encrypt(privateKey, viewerId);
    return [stored, { encrypted, publicKey: webhookPublicKeyOf(privateKey), expiresAt: null }];
  }

  private checkUrl(url: string): void {
    try {
      outboundUrl(url, urlRules(this.env.WEBHOOK_ALLOWED_HOSTS));
    } catch (error) {
      if (error instanceof AddressNotAllowed) throw urlNotAllowed(error.reason);
      throw error;
    }
  }

  /** Returns a response with an encrypted secret, because idempotency keys store responses. */
  private sealed(webhookEndpoint: WebhookEndpoint, viewerId: number, secret: string, status: number): RawReply {
    const body: SecretResponse = { webhookEndpoint, secret: this.cipher.encrypt(secret, viewerId) };
    return RawReply.json(JSON.stringify(body), { status });
  }

  /** Decrypts the secret of a sealed response. */
  private unsealed({ body, status, headers }: RawReply, viewerId: number): RawReply {
    const sealed = JSON.parse(body.toString()) as SecretResponse;
    const opened: SecretResponse = { ...sealed, secret: this.cipher.decrypt(sealed.secret, viewerId) };
    return RawReply.json(JSON.stringify(opened), { status, headers });
  }
}
