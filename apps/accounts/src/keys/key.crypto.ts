import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const version = 1;
const ivBytes = 12;
const tagBytes = 16;
const headBytes = 1 + ivBytes + tagBytes;

/**
 * Keeps personal API keys so that their owners can look at them again: AES-256-GCM under a key derived from the secret
 * (HKDF-SHA256). The user's id is authenticated too, so that a row's key cannot be moved to another user.
 *
 * Stored form: version (1 byte, now 1), nonce (12), tag (16), ciphertext.
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

  /** Throws when it was encrypted with another secret, for another user, or changed since. */
  decrypt(stored: Buffer, userId: number): string {
    if (stored[0] !== version || stored.length <= headBytes) throw new Error('a stored API key has an unknown form');
    const iv = stored.subarray(1, 1 + ivBytes);
    const tag = stored.subarray(1 + ivBytes, headBytes);
    const decipher = createDecipheriv('aes-256-gcm', this.key, iv, { authTagLength: tagBytes })
      .setAAD(Buffer.from(String(userId)))
      .setAuthTag(tag);
    try {
      return Buffer.concat([decipher.update(stored.subarray(headBytes)), decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new Error('a stored API key cannot be decrypted: was KEY_ENCRYPTION_SECRET changed?', { cause });
    }
  }
}
