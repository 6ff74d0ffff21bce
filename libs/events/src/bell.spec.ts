import { Bell } from './bell.js';

describe('Bell', () => {
  const waited = async (bell: Bell, ms: number): Promise<number> => {
    const before = performance.now();
    await bell.wait(ms);
    return performance.now() - before;
  };
  /** Longer than a test may take. */
  const hour = 3_600_000;

  it('ends a wait when it rings, and at the latest after the time', async () => {
    const bell = new Bell();
    setTimeout(() => bell.ring(), 10);
    await bell.wait(hour);
    expect(await waited(bell, 30)).toBeGreaterThanOrEqual(25);
  });

  it('keeps a ring for the next wait, and takes several rings as one', async () => {
    const bell = new Bell();
    bell.ring();
    bell.ring();
    await bell.wait(hour);
    expect(await waited(bell, 30)).toBeGreaterThanOrEqual(25);
  });
});
