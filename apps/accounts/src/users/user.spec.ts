import { changesNothing, isReservedName } from './user.js';

describe('a user name', () => {
  it.each(['api', 'oauth', 'images', 'icons', 'docs', 'health', 'admin', 'anonymous'])(
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
});

describe('a change of a user', () => {
  it.each([{}, { profile: {} }, { displayName: undefined, profile: { url: undefined } }])(
    'changes nothing when nothing was sent: %j',
    (changes) => {
      expect(changesNothing(changes)).toBe(true);
    },
  );

  it.each([{ displayName: null }, { avatarUrl: null }, { profile: { body: null } }, { displayName: '' }])(
    'changes something when null or an empty text was sent: %j',
    (changes) => {
      expect(changesNothing(changes)).toBe(false);
    },
  );
});
