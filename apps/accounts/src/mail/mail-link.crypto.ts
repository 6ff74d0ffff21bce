import { createHmac, hkdfSync } from 'node:crypto';

/**
 * Derives the tokens of mailed links from the ids of their events: HMAC-SHA256, with a key that is
 * derived from a secret (HKDF-SHA256). An id has 122 random bits, so tokens are unique. Only a
 * holder of the secret can compute a token from an id.
 *
 * A derived token is equal at each delivery of its event. A mail that is sent twice has the same
 * link, although the database stores only the hash of the token, and Redis only the id.
 */
export class MailLinkKey {
  private readonly key: Buffer;

  constructor(secret: string) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', 'storefront mailed link v1', 32));
  }

  /** Returns the token of an event: 256 bits as 43 characters of URL-safe base64. */
  tokenOf(eventId: string): string {
    return createHmac('sha256', this.key).update(eventId).digest('base64url');
  }
}
