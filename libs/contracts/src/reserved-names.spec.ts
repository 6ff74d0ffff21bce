import { userName } from './account-fields.js';
import { isReservedName } from './reserved-names.js';

describe('isReservedName', () => {
  it.each(['api', 'oauth', 'sign-in', 'language', 'images', 'docs', 'admin', 'anonymous'])(
    'reserves %s, a path of the site or the built-in user',
    (name) => {
      expect(isReservedName(name)).toBe(true);
    },
  );

  it('ignores case', () => {
    expect(isReservedName('Admin')).toBe(true);
    expect(isReservedName('OAUTH')).toBe(true);
  });

  it('accepts names that contain a reserved name', () => {
    expect(isReservedName('hanako')).toBe(false);
    expect(isReservedName('admin-hanako')).toBe(false);
  });

  it.each([
    '\u0430dmin',
    'ａｄｍｉｎ',
    'adm\u0131n',
    'ADM\u0130N',
    'admin\u200b',
    '\u202enimda',
    'a\u0301dmin',
    '\u{1d41a}dmin',
    ' admin',
  ])('need not detect a look-alike of a reserved name, because `userName` rejects it: %j', (name) => {
    expect(userName.safeParse(name).success).toBe(false);
  });
});
