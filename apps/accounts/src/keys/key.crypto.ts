import { ColumnCipher } from '#persistence';

/**
 * Encrypts personal API keys, which their owners can display again. The user's id is the associated
 * data, so that an encrypted key cannot be moved to another user.
 */
export class KeyCipher {
  private readonly cipher: ColumnCipher;

  constructor(secret: string) {
    this.cipher = new ColumnCipher(secret, {
      info: 'storefront personal api key v1',
      value: 'API key',
      setting: 'KEY_ENCRYPTION_SECRET',
    });
  }

  encrypt(token: string, userId: number): Buffer {
    return this.cipher.encrypt(token, String(userId));
  }

  /**
   * Returns the decrypted key.
   *
   * @throws Error when the stored bytes have an unknown format, were encrypted with another secret
   *   or for another user, or were changed
   */
  decrypt(stored: Buffer, userId: number): string {
    return this.cipher.decrypt(stored, String(userId));
  }
}
