import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Signed content of a request: https://www.standardwebhooks.com */
interface SignedMessage {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * Secrets of Standard Webhooks: `whsec_` and 32 random bytes for signatures `v1`, `whsk_` and the
 * seed and public key of Ed25519 (32 bytes each, as in libsodium) for signatures `v1a`.
 */
const privatePrefix = 'whsk_';

export const generateWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export function generateWebhookPrivateKey(): string {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const parts = [d!, x!].map((part) => Buffer.from(part, 'base64url'));
  return privatePrefix + Buffer.concat(parts).toString('base64');
}

const bytesOf = (privateKey: string): Buffer => Buffer.from(privateKey.slice(privatePrefix.length), 'base64');

export const isWebhookPrivateKey = (secret: string): boolean => secret.startsWith(privatePrefix);

/** Returns the public key of a private key, in base64 after `whpk_`. */
export const webhookPublicKeyOf = (privateKey: string): string =>
  `whpk_${bytesOf(privateKey).subarray(32).toString('base64')}`;

function toKeyObject(privateKey: string): KeyObject {
  const bytes = bytesOf(privateKey);
  const [d, x] = [bytes.subarray(0, 32), bytes.subarray(32)].map((part) => part.toString('base64url'));
  return createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', d: d!, x: x! } });
}

const hmacKeyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64');

const signatureOf = (secret: string, content: Buffer): string =>
  isWebhookPrivateKey(secret)
    ? `v1a,${sign(null, content, toKeyObject(secret)).toString('base64')}`
    : `v1,${createHmac('sha256', hmacKeyOf(secret)).update(content).digest('base64')}`;

/**
 * Returns the headers of Standard Webhooks, with a signature for each secret: HMAC-SHA256 (`v1`)
 * for `whsec_`, Ed25519 (`v1a`) for `whsk_`.
 */
export function signedWebhookHeaders({ id, timestamp, body }: SignedMessage, secrets: readonly string[]) {
  const content = Buffer.from(`${id}.${timestamp}.${body}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => signatureOf(secret, content)).join(' '),
  };
}
