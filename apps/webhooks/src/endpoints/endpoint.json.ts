import { type WebhookDeliveryStatus, type WebhookEndpoint, webhookPublicKeyOf } from '#contracts';
import type { EndpointEntity, StoredSecret } from './endpoint.entity.js';
import { currentSecrets, oldSecretExpiry } from './endpoint.rules.js';
import type { WebhookSecretCipher } from './webhook-secret.crypto.js';

export type EndpointRow = Omit<EndpointEntity, 'failures' | 'openUntil' | 'updatedAt' | 'deletedAt'> & {
  readonly lastDelivery: WebhookDeliveryStatus | null;
};

/** Converts a row to the resource, which contains the public key and no secrets. */
export function toWebhookEndpoint(row: EndpointRow, cipher: WebhookSecretCipher): WebhookEndpoint {
  const { userId, secrets, failingSince, createdAt, ...fields } = row;
  const [, privateKey] = currentSecrets(secrets);
  return {
    ...fields,
    failingSince: failingSince?.toISOString() ?? null,
    publicKey: privateKey ? publicKeyOf(privateKey, userId, cipher) : null,
    oldSecretExpiresAt: oldSecretExpiry(secrets, new Date()),
    createdAt: createdAt.toISOString(),
  };
}

/** Returns null for a key that was stored without its public key and cannot be decrypted. */
function publicKeyOf({ publicKey, encrypted }: StoredSecret, userId: number, cipher: WebhookSecretCipher) {
  if (publicKey !== undefined) return publicKey;
  const privateKey = cipher.tryDecrypt(encrypted, userId);
  return privateKey === undefined ? null : webhookPublicKeyOf(privateKey);
}
