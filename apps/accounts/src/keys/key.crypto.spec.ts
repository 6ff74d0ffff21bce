import { generateToken } from '../tokens/token.crypto.js';
import { KeyCipher } from './key.crypto.js';

const cipher = new KeyCipher('a secret of at least thirty-two characters');

describe('an encrypted API key', () => {
  it('decrypts to the key', () => {
    const key = generateToken();
    expect(cipher.decrypt(cipher.encrypt(key, 7), 7)).toBe(key);
  });

  it('decrypts when an earlier version has stored it', () => {
    const stored = 'AdvxCmTte8N0TZ7leD2BrMOC+lHjfYw0Hc5Z5fbWc9mFTNMv54j+jptIlH0Mwr/tT/4p4cszB32f';
    expect(cipher.decrypt(Buffer.from(stored, 'base64'), 7)).toBe('stored by an earlier version');
  });

  it('cannot be decrypted for another user', () => {
    const stored = cipher.encrypt('key', 7);
    expect(() => cipher.decrypt(stored, 8)).toThrow('a stored API key cannot be decrypted');
  });

  it('cannot be decrypted with another secret', () => {
    const stored = cipher.encrypt('key', 7);
    expect(() => new KeyCipher('another secret of thirty-two characters').decrypt(stored, 7)).toThrow(
      'KEY_ENCRYPTION_SECRET',
    );
  });
});
