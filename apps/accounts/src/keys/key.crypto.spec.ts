import { generateToken } from '../tokens/token.crypto.js';
import { KeyCipher } from './key.crypto.js';

const cipher = new KeyCipher('a secret of at least thirty-two characters');

describe('an encrypted API key', () => {
  it('decrypts to the key', () => {
    const key = generateToken();
    expect(cipher.decrypt(cipher.encrypt(key, 7), 7)).toBe(key);
  });

  it('does not contain the key', () => {
    const key = generateToken();
    expect(cipher.encrypt(key, 7).includes(key)).toBe(false);
  });

  it('differs at each encryption', () => {
    expect(cipher.encrypt('key', 7).equals(cipher.encrypt('key', 7))).toBe(false);
  });

  it('cannot be decrypted for another user', () => {
    const stored = cipher.encrypt('key', 7);
    expect(() => cipher.decrypt(stored, 8)).toThrow('cannot be decrypted');
  });

  it('cannot be decrypted with another secret', () => {
    const stored = cipher.encrypt('key', 7);
    expect(() => new KeyCipher('another secret of thirty-two characters').decrypt(stored, 7)).toThrow(
      'KEY_ENCRYPTION_SECRET',
    );
  });

  it('cannot be decrypted after a bit has changed', () => {
    const stored = cipher.encrypt('key', 7);
    stored[stored.length - 1]! ^= 1;
    expect(() => cipher.decrypt(stored, 7)).toThrow('cannot be decrypted');
  });

  it('is rejected when its format is unknown', () => {
    expect(() => cipher.decrypt(Buffer.of(2, 0, 0), 7)).toThrow('unknown format');
    expect(() => cipher.decrypt(Buffer.alloc(0), 7)).toThrow('unknown format');
  });
});
