import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const version = 1;
const ivBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + ivBytes + tagBytes;

interface Column {
  /** HKDF info. Each column has its own, so that columns with one secret have different keys. */
  readonly info: string;
  /** Name of a value, for error messages. */
  readonly value: string;
  /** Name of the setting that contains the secret, for error messages. */
  readonly setting: string;
}

/**
 * Encrypts the values of a column: AES-256-GCM with a key that is derived from the secret
 * (HKDF-SHA256). The associated data (AAD) is authenticated and not stored. With the id of the row
 * or its owner as associated data, a value cannot be moved to another row or owner.
 *
 * Stored format: version (1 byte, now 1), nonce (12), tag (16), ciphertext.
 */
export class ColumnCipher {
  private readonly key: Buffer;

  constructor(
    secret: string,
    private readonly column: Column,
  ) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', column.info, 32));
  }

  encrypt(text: string, associatedData: string): Buffer {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(Buffer.from(associatedData));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), encrypted]);
  }

  /**
   * Returns the decrypted text.
   *
   * @throws Error when the stored bytes have an unknown format, were encrypted with another secret
   *   or other associated data, or were changed
   */
  decrypt(stored: Buffer, associatedData: string): string {
    const { value, setting } = this.column;
    if (stored[0] !== version || stored.length <= headerBytes)
      throw new Error(`a stored ${value} has an unknown format`);
    const iv = stored.subarray(1, 1 + ivBytes);
    const tag = stored.subarray(1 + ivBytes, headerBytes);
    const decipher = createDecipheriv('aes-256-gcm', this.key, iv, { authTagLength: tagBytes })
      .setAAD(Buffer.from(associatedData))
      .setAuthTag(tag);
    try {
      return Buffer.concat([decipher.update(stored.subarray(headerBytes)), decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new Error(`a stored ${value} cannot be decrypted: was ${setting} changed?`, { cause });
    }
  }
}
