import { createHmac, sign } from 'node:crypto';
import { isPrivateKey, toKeyObject } from '../endpoints/webhook-secret.crypto.js';

/** Signed content of a request: https://www.standardwebhooks.com */
interface SignedMessage {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

const hmacKeyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64');

const signatureOf = (secret: string, content: Buffer): string =>
  isPrivateKey(secret)
    ? `v1a,${sign(null, content, toKeyObject(secret)).toString('base64')}`
    : `v1,${createHmac('sha256', hmacKeyOf(secret)).update(content).digest('base64')}`;

/**
 * Returns the headers of Standard Webhooks, with a signature for each secret: HMAC-SHA256 (`v1`)
 * for `whsec_`, Ed25519 (`v1a`) for `whsk_`.
 */
export function signedHeaders({ id, timestamp, body }: SignedMessage, secrets: readonly string[]) {
  const content = Buffer.from(`${id}.${timestamp}.${body}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => signatureOf(secret, content)).join(' '),
  };
}
