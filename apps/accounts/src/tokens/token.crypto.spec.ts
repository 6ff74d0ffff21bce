import { generateToken, hashToken, hashToHex } from './token.crypto.js';

describe('a token', () => {
  it('has 43 URL-safe characters, which encode 32 bytes', () => {
    const token = generateToken();
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  });

  it('differs each time', () => {
    expect(new Set(Array.from({ length: 100 }, generateToken)).size).toBe(100);
  });

  it('is looked up by its SHA-256', () => {
    // Test vector of FIPS 180-2
    expect(hashToHex(hashToken('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
