import { ColumnCipher } from '#persistence';

/**
 * Encrypts client secrets in stored responses of idempotency keys. The id of the owner is the
 * associated data, so that an encrypted secret cannot be moved to another user.
 */
export class ClientSecretCipher {
  private readonly cipher: ColumnCipher;

  constructor(secret: string) {
    this.cipher = new ColumnCipher(secret, {
      info: 'storefront client secret v1',
      value: 'client secret',
      setting: 'KEY_ENCRYPTION_SECRET',
    });
  }

  /** @returns the encrypted secret in base64 */
  encrypt(clientSecret: string, ownerId: number): string {
    return this.cipher.encrypt(clientSecret, String(ownerId)).toString('base64');
  }

  /** @throws Error when KEY_ENCRYPTION_SECRET has changed */
  decrypt(encrypted: string, ownerId: number): string {
    return this.cipher.decrypt(Buffer.from(encrypted, 'base64'), String(ownerId));
  }
}
