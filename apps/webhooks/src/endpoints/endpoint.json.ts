import { isWebhookPrivateKey, type WebhookDeliveryStatus, type WebhookEndpoint, webhookPublicKeyOf } from '#contracts';
import type { EndpointEntity } from './endpoint.entity.js';
import { oldSecretExpiry } from './endpoint.rules.js';
import type { WebhookSecretCipher } from './webhook-secret.crypto.js';

export type EndpointRow = Omit<EndpointEntity, 'failures' | 'openUntil' | 'updatedAt' | 'deletedAt'> & {
  readonly lastDelivery: WebhookDeliveryStatus | null;
};

/** Converts a row to the resource, which contains the public key and no secrets. */
export function toWebhookEndpoint(row: EndpointRow, cipher: WebhookSecretCipher): WebhookEndpoint {
  const { userId, secrets, failingSince, createdAt, ...fields } = row;
  const current = secrets.filter(({ expiresAt }) => expiresAt === null);
  const privateKey = current.map(({ encrypted }) => cipher.decrypt(encrypted, userId)).find(isWebhookPrivateKey);
  return {
    ...fields,
    failingSince: failingSince?.toISOString() ?? null,
    publicKey: privateKey === undefined ? null : webhookPublicKeyOf(privateKey),
    oldSecretExpiresAt: oldSecretExpiry(secrets, new Date()),
    createdAt: createdAt.toISOString(),
  };
}
