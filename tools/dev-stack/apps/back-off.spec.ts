import { BackOff } from './back-off.js';

describe('restart backoff of an app', () => {
  it('starts with half a second and doubles up to 30 seconds', () => {
    const backOff = new BackOff();
    const delays = Array.from({ length: 9 }, () => backOff.nextDelayMs(100));
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('is reset after a run of one minute', () => {
    const backOff = new BackOff();
    backOff.nextDelayMs(0);
    backOff.nextDelayMs(59_999);
    expect(backOff.nextDelayMs(60_000)).toBe(500);
    expect(backOff.nextDelayMs(0)).toBe(1_000);
  });
});
