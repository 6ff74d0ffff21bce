import { createPublicKey, sign, verify } from 'node:crypto';
import {
  generatePrivateKey,
  generateSecret,
  isPrivateKey,
  publicKeyOf,
  toKeyObject,
  WebhookSecretCipher,
} from './webhook-secret.crypto.js';

const cipher = new WebhookSecretCipher('a secret of at least thirty-two characters');

describe('a generated secret', () => {
  it('is 32 random bytes in base64 after whsec_', () => {
    const secret = generateSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    expect(generateSecret()).not.toBe(secret);
    expect(isPrivateKey(secret)).toBe(false);
  });
});

describe('a generated private key', () => {
  it('signs so that its public key, 32 bytes in base64 after whpk_, verifies', () => {
    const privateKey = generatePrivateKey();
    const publicKey = publicKeyOf(privateKey);
    expect(isPrivateKey(privateKey)).toBe(true);
    expect(publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
    const x = Buffer.from(publicKey.slice(5), 'base64').toString('base64url');
    const verifier = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
    const content = Buffer.from('id.1.{}');
    expect(verify(null, content, verifier, sign(null, content, toKeyObject(privateKey)))).toBe(true);
  });
});

describe('an encrypted secret', () => {
  it('decrypts to the secret, and does not contain it', () => {
    const secret = generateSecret();
    const encrypted = cipher.encrypt(secret, 7);
    expect(Buffer.from(encrypted, 'base64').includes(secret)).toBe(false);
    expect(cipher.decrypt(encrypted, 7)).toBe(secret);
  });

  it('cannot be decrypted for another user', () => {
    expect(() => cipher.decrypt(cipher.encrypt('secret', 7), 8)).toThrow('WEBHOOK_ENCRYPTION_SECRET');
  });
});
