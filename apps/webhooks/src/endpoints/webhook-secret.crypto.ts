import { ColumnCipher } from '#persistence';

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

  /** Returns undefined for a secret that was encrypted with another WEBHOOK_ENCRYPTION_SECRET. */
  tryDecrypt(encrypted: string, userId: number): string | undefined {
    try {
      return this.decrypt(encrypted, userId);
    } catch {
      return undefined;
    }
  }
}
