import { userName } from '#contracts';
import { profileFromClaims } from './identity.rules.js';

/** URL of 1,920 characters whose percent-encoded form has 17,120. */
const longAsHref = `https://example.com/${'あ'.repeat(1_900)}`;

describe('profileFromClaims', () => {
  it('returns name, page and e-mail address, if the provider has verified the address', () => {
    const claims = { sub: '123', preferred_username: 'hanako', profile: 'https://example.com/hanako' };
    const email = 'hanako@example.com';
    expect(profileFromClaims({ ...claims, email, email_verified: true })).toEqual({
      uid: '123',
      nickname: 'hanako',
      url: 'https://example.com/hanako',
      email,
      suggestedName: 'hanako',
    });
    for (const verified of [false, undefined, 'true', 1])
      expect(profileFromClaims({ ...claims, email, email_verified: verified })).toMatchObject({ email: null });
  });

  it('returns null without a usable sub', () => {
    for (const sub of [undefined, '', 7, 'a\u0000b', 'x'.repeat(256), '\u00e9'])
      expect(profileFromClaims({ sub })).toBeNull();
  });

  it('does not use an e-mail address as a nickname', () => {
    expect(profileFromClaims({ sub: '1', preferred_username: 'hanako@example.com', nickname: 'Hana' })).toMatchObject({
      nickname: 'Hana',
      suggestedName: 'hanako',
    });
    expect(profileFromClaims({ sub: '1', preferred_username: 'hanako@example.com' })).toMatchObject({ nickname: null });
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'https://me:secret@example.com/', 'nowhere', 7, longAsHref])(
    'ignores the page %j',
    (profile) => {
      expect(profileFromClaims({ sub: '1', profile })).toMatchObject({ url: null });
    },
  );

  it('ignores nicknames that are invalid or too long', () => {
    for (const nickname of ['a\u0000b', 'a\nb', '\ud800', 'x'.repeat(256), '', {}])
      expect(profileFromClaims({ sub: '1', nickname })).toMatchObject({ nickname: null });
  });
});

describe('the suggested user name', () => {
  it.each([
    ['Jos\u00e9 Garc\u00eda', 'Jose-Garcia'],
    ['\uff28\uff41\uff4e\uff41', 'Hana'],
    ['hana.ko+shop@example.com', 'hana-ko-shop'],
    ['--hana--', 'hana'],
    ['\u82b1\u5b50', ''],
    ['Admin', ''],
    ['', ''],
    [`${'a'.repeat(49)}.b`, 'a'.repeat(49)],
    ['x'.repeat(9_000), 'x'.repeat(50)],
  ])('for %s is %s', (preferred_username, name) => {
    const suggested = profileFromClaims({ sub: '1', preferred_username })!.suggestedName;
    expect(suggested).toBe(name);
    if (name !== '') expect(userName.safeParse(suggested).success).toBe(true);
  });

  it('comes from the next claim when the first yields none', () => {
    const claims = { sub: '1', preferred_username: '\u82b1\u5b50', nickname: 'root', email: 'hanako@example.com' };
    expect(profileFromClaims(claims)).toMatchObject({ suggestedName: 'hanako', email: null, nickname: '\u82b1\u5b50' });
  });
});
