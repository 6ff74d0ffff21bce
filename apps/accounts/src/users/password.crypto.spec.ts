import { verify } from '@node-rs/argon2';
import { hashPassword, verifyPassword } from './password.crypto.js';

describe('a password', () => {
  it('is hashed with argon2id, 19 MiB and two passes', async () => {
    expect(await hashPassword('correct horse')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('has a different salt each time', async () => {
    expect(await hashPassword('correct horse')).not.toBe(await hashPassword('correct horse'));
  });

  it('is verified for composed and decomposed accents', async () => {
    const hash = await hashPassword('cafe\u0301 au lait');
    expect(await verify(hash, 'caf\u00e9 au lait')).toBe(true);
    expect(await verify(hash, 'cafe au lait')).toBe(false);
    expect(await verifyPassword(hash, 'cafe\u0301 au lait')).toBe(true);
    expect(await verifyPassword(hash, 'cafe au lait')).toBe(false);
  });

  it('is never verified without a hash', async () => {
    expect(await verifyPassword(null, '')).toBe(false);
    expect(await verifyPassword(null, 'correct horse')).toBe(false);
  });
});
