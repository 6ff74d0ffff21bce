import { changesNothing } from './user.rules.js';

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
