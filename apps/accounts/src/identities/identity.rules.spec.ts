import { userName } from '#contracts';
import { personOf } from './identity.rules.js';

/** 1,920 characters that are 17,000 when they are written as a URL. */
const longAsHref = `https://example.com/${'あ'.repeat(1_900)}`;

describe('what is kept of a person', () => {
  it('is what the provider calls them, their page, and an address that it has verified', () => {
    const claims = { sub: '123', preferred_username: 'hanako', profile: 'https://example.com/hanako' };
    const email = 'hanako@example.com';
    expect(personOf({ ...claims, email, email_verified: true })).toEqual({
      uid: '123',
      nickname: 'hanako',
      url: 'https://example.com/hanako',
      email,
      suggestedName: 'hanako',
    });
    for (const verified of [false, undefined, 'true', 1])
      expect(personOf({ ...claims, email, email_verified: verified })).toMatchObject({ email: null });
  });

  it('is nothing at all without a sub that can be kept', () => {
    for (const sub of [undefined, '', 7, 'a\u0000b', 'x'.repeat(256), '\u00e9']) expect(personOf({ sub })).toBeNull();
  });

  it('shows nobody an e-mail address as a name', () => {
    expect(personOf({ sub: '1', preferred_username: 'hanako@example.com', nickname: 'Hana' })).toMatchObject({
      nickname: 'Hana',
      suggestedName: 'hanako',
    });
    expect(personOf({ sub: '1', preferred_username: 'hanako@example.com' })).toMatchObject({ nickname: null });
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'https://me:secret@example.com/', 'nowhere', 7, longAsHref])(
    'has no page %j',
    (profile) => {
      expect(personOf({ sub: '1', profile })).toMatchObject({ url: null });
    },
  );

  it('has no name that could not be stored or read', () => {
    for (const nickname of ['a\u0000b', 'a\nb', '\ud800', 'x'.repeat(256), '', {}])
      expect(personOf({ sub: '1', nickname })).toMatchObject({ nickname: null });
  });
});

describe('the user name that a newcomer is offered', () => {
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
  ])('of %s is %s', (preferred_username, name) => {
    const suggested = personOf({ sub: '1', preferred_username })!.suggestedName;
    expect(suggested).toBe(name);
    if (name !== '') expect(userName.safeParse(suggested).success).toBe(true);
  });

  it('is made of the next claim when one makes none', () => {
    const claims = { sub: '1', preferred_username: '\u82b1\u5b50', nickname: 'root', email: 'hanako@example.com' };
    expect(personOf(claims)).toMatchObject({ suggestedName: 'hanako', email: null, nickname: '\u82b1\u5b50' });
  });
});
