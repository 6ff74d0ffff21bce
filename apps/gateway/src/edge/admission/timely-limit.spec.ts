import { TimelyLimit } from './timely-limit.js';

/** As many are open as may be, for so many seconds, and so many are answered in each. @returns how many that is then */
function overload(limit: TimelyLimit, perSecond: number, seconds: number, { from = 1_024, at = 0 } = {}): number {
  let open = from;
  for (let n = 1; n <= seconds * perSecond; n++)
    open = limit.note((open / perSecond) * 1_000, open, at + (n * 1_000) / perSecond);
  return open;
}

describe('the limit', () => {
  it('is the most there may be while answers come in time', () => {
    expect(overload(new TimelyLimit(1_024), 8_000, 30)).toBe(1_024);
  });

  it.each([2_000, 1_200, 600])(
    'becomes what is answered in a quarter of a second, %i answers a second',
    (perSecond) => {
      const open = overload(new TimelyLimit(1_024), perSecond, 90);
      expect(open / perSecond).toBeGreaterThan(0.2);
      expect(open / perSecond).toBeLessThan(0.4);
    },
  );

  it('stays as it is for many requests at one moment, however slow they are', () => {
    const limit = new TimelyLimit(1_024);
    for (let open = 200, now = 0; open > 0; open--, now += 12) expect(limit.note(now, open, now)).toBe(1_024);
  });

  it('grows again with the services', () => {
    const limit = new TimelyLimit(1_024);
    const slow = overload(limit, 600, 90);
    expect(slow).toBeLessThan(200);
    expect(overload(limit, 8_000, 30, { from: slow, at: 90_000 })).toBe(1_024);
  });

  it('is the most again as soon as little is open', () => {
    const limit = new TimelyLimit(1_024);
    overload(limit, 600, 90);
    let open = 0;
    for (let n = 0; n < 100; n++) open = limit.note(5, 1, 90_000 + n * 60);
    expect(open).toBe(1_024);
  });

  it('never becomes so small that a slow kind of request would look like overload', () => {
    expect(overload(new TimelyLimit(1_024), 20, 180)).toBe(128);
    expect(overload(new TimelyLimit(64), 20, 180, { from: 64 })).toBe(16);
    expect(overload(new TimelyLimit(10), 1, 180, { from: 10 })).toBe(10);
  });
});
