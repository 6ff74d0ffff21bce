import { findPasswordError } from './password.rules.js';

const hanako = { name: 'Hanako-7', email: 'hana.suzuki@example.com' };
const errorOf = (password: string) => findPasswordError(password, hanako);

describe('findPasswordError', () => {
  it.each(['correct horse', 'きのうのゆうやけはきれい', 'aB3$aB3$xZ', '🎨🖌️👕🧵🪡🎽🧶🛍️🖼️'])(
    'accepts %s',
    (password) => {
      expect(errorOf(password)).toBeUndefined();
    },
  );

  it.each(['ninechars', '', '🎨🖌👕🧵🪡🎽🧶🛍🖼', 'e\u0301e\u0301abcdefg'])(
    'rejects fewer than ten code points: %j',
    (password) => {
      expect(errorOf(password)).toBe('The password has fewer than 10 characters.');
    },
  );

  it.each(['aaaaaaaaaa', '12121212121212', 'abcdabcdabcd'])(
    'rejects fewer than five different characters: %s',
    (password) => {
      expect(errorOf(password)).toBe('The password has fewer than 5 different characters.');
    },
  );

  it.each(['qwertyuiop', 'QwertyUiop', 'password123', 'basketball', '１２３４５６７８９０', 'manchester'])(
    'rejects a common password in any case and width: %s',
    (password) => {
      expect(errorOf(password)).toBe('The password is too common.');
    },
  );

  it.each(['hanako-7-2026', 'HANAKO2026!', 'hana.suzuki', 'Hana.Suzuki@Example.com', 'hana.suzuki1999'])(
    "rejects the owner's name or e-mail address, also with a suffix: %s",
    (password) => {
      expect(errorOf(password)).toBe('The password must not be the user name or the email address.');
    },
  );

  it('accepts a password that contains a name', () => {
    expect(errorOf('hanako paints cats')).toBeUndefined();
  });

  it('does not quote the password', () => {
    for (const password of ['secretsix', 'basketball']) expect(errorOf(password)).not.toContain(password);
  });
});
