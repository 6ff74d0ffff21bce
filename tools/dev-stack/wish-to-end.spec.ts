import { WishToEnd } from './wish-to-end.js';

describe('the wish to end', () => {
  it('is one when it arrives twice, and impatience when it comes again later', () => {
    let now = 5_000;
    const wish = new WishToEnd(() => now);
    expect(wish.heard()).toBe('first');
    now += 999;
    expect(wish.heard()).toBe('same');
    now += 1;
    expect(wish.heard()).toBe('impatient');
    now += 60_000;
    expect(wish.heard()).toBe('impatient');
  });
});
