import { isEmptyUpdate } from './user.rules.js';

describe('isEmptyUpdate', () => {
  it.each([{}, { profile: {} }, { displayName: undefined, profile: { url: undefined } }])(
    'returns true when nothing was sent: %j',
    (changes) => {
      expect(isEmptyUpdate(changes)).toBe(true);
    },
  );

  it.each([{ displayName: null }, { avatarUrl: null }, { profile: { body: null } }, { displayName: '' }])(
    'returns false when null or an empty text was sent: %j',
    (changes) => {
      expect(isEmptyUpdate(changes)).toBe(false);
    },
  );
});
