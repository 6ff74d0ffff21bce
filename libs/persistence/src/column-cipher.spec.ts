import { ColumnCipher } from './column-cipher.js';

const secret = 'a secret of at least thirty-two characters';
const column = { info: 'test column v1', value: 'test value', setting: 'TEST_SECRET' };
const cipher = new ColumnCipher(secret, column);

describe('an encrypted value', () => {
  it('decrypts to the value', () => {
    expect(cipher.decrypt(cipher.encrypt('鍵 key', 'row 7'), 'row 7')).toBe('鍵 key');
  });

  it('does not contain the value', () => {
    expect(cipher.encrypt('the value', 'row 7').includes('the value')).toBe(false);
  });

  it('differs at each encryption', () => {
    expect(cipher.encrypt('value', 'row 7').equals(cipher.encrypt('value', 'row 7'))).toBe(false);
  });

  it('cannot be decrypted with other associated data', () => {
    const stored = cipher.encrypt('value', 'row 7');
    expect(() => cipher.decrypt(stored, 'row 8')).toThrow('a stored test value cannot be decrypted');
  });

  it('cannot be decrypted with another secret', () => {
    const other = new ColumnCipher('another secret of thirty-two characters', column);
    expect(() => other.decrypt(cipher.encrypt('value', 'row 7'), 'row 7')).toThrow('was TEST_SECRET changed?');
  });

  it('cannot be decrypted as a value of another column', () => {
    const other = new ColumnCipher(secret, { ...column, info: 'other column v1' });
    expect(() => other.decrypt(cipher.encrypt('value', 'row 7'), 'row 7')).toThrow('cannot be decrypted');
  });

  it('cannot be decrypted after a bit has changed', () => {
    const stored = cipher.encrypt('value', 'row 7');
    stored[stored.length - 1]! ^= 1;
    expect(() => cipher.decrypt(stored, 'row 7')).toThrow('cannot be decrypted');
  });

  it('is rejected when its format is unknown', () => {
    expect(() => cipher.decrypt(Buffer.of(2, 0, 0), 'row 7')).toThrow('a stored test value has an unknown format');
    expect(() => cipher.decrypt(Buffer.alloc(0), 'row 7')).toThrow('unknown format');
  });
});
