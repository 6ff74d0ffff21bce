import { generateWebhookSecret } from '#contracts';
import { WebhookSecretCipher } from './webhook-secret.crypto.js';

const cipher = new WebhookSecretCipher('a secret of at least thirty-two characters');

describe('an encrypted secret', () => {
  it('decrypts to the secret, and does not contain it', () => {
    const secret = generateWebhookSecret();
    const encrypted = cipher.encrypt(secret, 7);
    expect(Buffer.from(encrypted, 'base64').includes(secret)).toBe(false);
    expect(cipher.decrypt(encrypted, 7)).toBe(secret);
  });

  it('cannot be decrypted for another user', () => {
    expect(() => cipher.decrypt(cipher.encrypt('secret', 7), 8)).toThrow('WEBHOOK_ENCRYPTION_SECRET');
    expect(cipher.tryDecrypt(cipher.encrypt('secret', 7), 8)).toBeUndefined();
  });
});
