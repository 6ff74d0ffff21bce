import { passwordProblem } from './password.rules.js';

const hanako = { name: 'Hanako-7', email: 'hana.suzuki@example.com' };
const problem = (password: string) => passwordProblem(password, hanako);

describe('a password', () => {
  it.each(['correct horse', 'きのうのゆうやけはきれい', 'aB3$aB3$xZ', '🎨🖌️👕🧵🪡🎽🧶🛍️🖼️'])(
    'may be %s',
    (password) => {
      expect(problem(password)).toBeUndefined();
    },
  );

  it.each(['ninechars', '', '🎨🖌👕🧵🪡🎽🧶🛍🖼', 'e\u0301e\u0301abcdefg'])(
    'has ten characters as people count them, unlike %j',
    (password) => {
      expect(problem(password)).toBe('The password has fewer than 10 characters.');
    },
  );

  it.each(['aaaaaaaaaa', '12121212121212', 'abcdabcdabcd'])('has five different characters, unlike %s', (password) => {
    expect(problem(password)).toBe('The password has fewer than 5 different characters.');
  });

  it.each(['qwertyuiop', 'QwertyUiop', 'password123', 'basketball', '１２３４５６７８９０', 'manchester'])(
    'is not a common one such as %s, in whatever case and width',
    (password) => {
      expect(problem(password)).toBe('The password is a common one.');
    },
  );

  it.each(['hanako-7-2026', 'HANAKO2026!', 'hana.suzuki', 'Hana.Suzuki@Example.com', 'hana.suzuki1999'])(
    "is not the owner's own name or address, such as %s",
    (password) => {
      expect(problem(password)).toBe('The password is the name or the e-mail address of its owner.');
    },
  );

  it('may have a name within it', () => {
    expect(problem('hanako paints cats')).toBeUndefined();
  });

  it('is not told in the refusal', () => {
    for (const password of ['secretsix', 'basketball']) expect(problem(password)).not.toContain(password);
  });
});
