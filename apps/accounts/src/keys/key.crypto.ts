import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const version = 1;
const ivBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + ivBytes + tagBytes;

/**
 * Encrypts personal API keys, which their owners can display again: AES-256-GCM with a key that is
 * derived from the secret (HKDF-SHA256). The user's id is authenticated too, so that an encrypted
 * key cannot be moved to another user.
 *
 * Stored format: version (1 byte, now 1), nonce (12), tag (16), ciphertext.
 */
export class KeyCipher {
  private readonly key: Buffer;

  constructor(secret: string) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', 'storefront personal api key v1', 32));
  }

  encrypt(token: string, userId: number): Buffer {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(Buffer.from(String(userId)));
    const text = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), text]);
  }

  /**
   * Returns the decrypted key.
   *
   * @throws Error when the stored bytes have an unknown format, were encrypted with another secret
   *   or for another user, or were changed
   */
  decrypt(stored: Buffer, userId: number): string {
    if (stored[0] !== version || stored.length <= headerBytes)
      throw new Error('a stored API key has an unknown format');
    const iv = stored.subarray(1, 1 + ivBytes);
    const tag = stored.subarray(1 + ivBytes, headerBytes);
    const decipher = createDecipheriv('aes-256-gcm', this.key, iv, { authTagLength: tagBytes })
      .setAAD(Buffer.from(String(userId)))
      .setAuthTag(tag);
    try {
      return Buffer.concat([decipher.update(stored.subarray(headerBytes)), decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new Error('a stored API key cannot be decrypted: was KEY_ENCRYPTION_SECRET changed?', { cause });
    }
  }
}
