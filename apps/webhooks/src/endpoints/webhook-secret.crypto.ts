import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { ColumnCipher } from '#persistence';

/**
 * Secrets of Standard Webhooks: `whsec_` and 32 random bytes for signatures `v1`, `whsk_` and the
 * seed and public key of Ed25519 (32 bytes each, as in libsodium) for signatures `v1a`.
 */
const privatePrefix = 'whsk_';

export const generateSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export function generatePrivateKey(): string {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const parts = [d!, x!].map((part) => Buffer.from(part, 'base64url'));
  return privatePrefix + Buffer.concat(parts).toString('base64');
}

const bytesOf = (privateKey: string): Buffer => Buffer.from(privateKey.slice(privatePrefix.length), 'base64');

export const isPrivateKey = (secret: string): boolean => secret.startsWith(privatePrefix);

/** Returns the public key of a private key, in base64 after `whpk_`. */
export const publicKeyOf = (privateKey: string): string =>
  `whpk_${bytesOf(privateKey).subarray(32).toString('base64')}`;

/** Returns the key for `crypto.sign`. */
export function toKeyObject(privateKey: string): KeyObject {
  const bytes = bytesOf(privateKey);
  const [d, x] = [bytes.subarray(0, 32), bytes.subarray(32)].map((part) => part.toString('base64url'));
  return createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', d: d!, x: x! } });
}

/**
 * Encrypts the secrets of webhook endpoints. The user's id is the associated data, so that an
 * encrypted secret cannot be moved to an endpoint of another user.
 */
export class WebhookSecretCipher {
  private readonly cipher: ColumnCipher;

  constructor(secret: string) {
    this.cipher = new ColumnCipher(secret, {
      info: 'storefront webhook secret v1',
      value: 'webhook secret',
      setting: 'WEBHOOK_ENCRYPTION_SECRET',
    });
  }

  /** @returns the encrypted secret in base64 */
  encrypt(webhookSecret: string, userId: number): string {
    return this.cipher.encrypt(webhookSecret, String(userId)).toString('base64');
  }

  /** @throws Error when WEBHOOK_ENCRYPTION_SECRET has changed */
  decrypt(encrypted: string, userId: number): string {
    return this.cipher.decrypt(Buffer.from(encrypted, 'base64'), String(userId));
  }
}
