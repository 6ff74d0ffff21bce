import { freshToken } from '../tokens/token.crypto.js';
import { KeyCipher } from './key.crypto.js';

const cipher = new KeyCipher('a secret of at least thirty-two characters');

describe('an encrypted API key', () => {
  it('is readable again', () => {
    const key = freshToken();
    expect(cipher.decrypt(cipher.encrypt(key, 7), 7)).toBe(key);
  });

  it('does not contain the key', () => {
    const key = freshToken();
    expect(cipher.encrypt(key, 7).includes(key)).toBe(false);
  });

  it('looks different each time', () => {
    expect(cipher.encrypt('key', 7).equals(cipher.encrypt('key', 7))).toBe(false);
  });

  it('cannot be read as the key of another user', () => {
    const stored = cipher.encrypt('key', 7);
    expect(() => cipher.decrypt(stored, 8)).toThrow('cannot be decrypted');
  });

  it('cannot be read with another secret', () => {
    const stored = cipher.encrypt('key', 7);
    expect(() => new KeyCipher('another secret of thirty-two characters').decrypt(stored, 7)).toThrow(
      'KEY_ENCRYPTION_SECRET',
    );
  });

  it('cannot be read after a bit of it has changed', () => {
    const stored = cipher.encrypt('key', 7);
    stored[stored.length - 1]! ^= 1;
    expect(() => cipher.decrypt(stored, 7)).toThrow('cannot be decrypted');
  });

  it('is refused when its form is unknown', () => {
    expect(() => cipher.decrypt(Buffer.of(2, 0, 0), 7)).toThrow('unknown form');
    expect(() => cipher.decrypt(Buffer.alloc(0), 7)).toThrow('unknown form');
  });
});
