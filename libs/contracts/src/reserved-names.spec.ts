import { userName } from './account-fields.js';
import { isReservedName } from './reserved-names.js';

describe('a user name', () => {
  it.each(['api', 'oauth', 'sign-in', 'language', 'images', 'docs', 'admin', 'anonymous'])(
    '%s is reserved, because it is an address of the site or the built-in user',
    (name) => {
      expect(isReservedName(name)).toBe(true);
    },
  );

  it('is reserved in any case', () => {
    expect(isReservedName('Admin')).toBe(true);
    expect(isReservedName('OAUTH')).toBe(true);
  });

  it('is free when a reserved name is only a part of it', () => {
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
  ])('cannot look like a reserved one by letters of other scripts: %j', (name) => {
    expect(userName.safeParse(name).success).toBe(false);
  });
});
