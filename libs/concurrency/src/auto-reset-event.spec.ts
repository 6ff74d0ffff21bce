import { AutoResetEvent } from './auto-reset-event.js';

describe('AutoResetEvent', () => {
  const waited = async (event: AutoResetEvent, ms: number): Promise<number> => {
    const before = performance.now();
    await event.wait(ms);
    return performance.now() - before;
  };
  /** Longer than a test may take. */
  const hour = 3_600_000;

  it('ends a wait when it is set, or after the timeout', async () => {
    const event = new AutoResetEvent();
    setTimeout(() => event.set(), 10);
    await event.wait(hour);
    expect(await waited(event, 30)).toBeGreaterThanOrEqual(25);
  });

  it('stays set until the next wait, which resets it, however many times it was set', async () => {
    const event = new AutoResetEvent();
    event.set();
    event.set();
    await event.wait(hour);
    expect(await waited(event, 30)).toBeGreaterThanOrEqual(25);
  });
});
