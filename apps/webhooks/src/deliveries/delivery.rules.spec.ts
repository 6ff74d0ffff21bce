import { healthAfterFailure, hostOf, nextAttemptAt, parseRetryAfter } from './delivery.rules.js';

const now = new Date('2026-11-24T12:00:00Z');
const after = (ms: number): Date => new Date(now.getTime() + ms);
const secondsUntil = (date: Date | null): number => (date!.getTime() - now.getTime()) / 1_000;

describe('the schedule', () => {
  it('has nine retries within 10 % of their delays, then ends', () => {
    const expected = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    expected.forEach((seconds, previous) => {
      const delay = secondsUntil(nextAttemptAt(previous, 0, now));
      expect(delay).toBeGreaterThanOrEqual(seconds * 0.9);
      expect(delay).toBeLessThanOrEqual(seconds * 1.1);
    });
    expect(nextAttemptAt(expected.length, 60_000, now)).toBeNull();
  });

  it('varies the delays', () => {
    const delays = Array.from({ length: 20 }, () => secondsUntil(nextAttemptAt(1, 0, now)));
    expect(new Set(delays).size).toBeGreaterThan(10);
  });

  it('waits for Retry-After if it is later', () => {
    expect(nextAttemptAt(0, 120_000, now)).toEqual(after(120_000));
    expect(secondsUntil(nextAttemptAt(1, 1_000, now))).toBeGreaterThan(200);
  });
});

describe('Retry-After', () => {
  it.each([
    ['120', 120],
    ['Tue, 24 Nov 2026 12:10:00 GMT', 600],
    ['9999999999', 86_400],
    ['Tue, 24 Nov 2099 12:10:00 GMT', 86_400],
  ])('%s is %d s', (header, seconds) => {
    expect(parseRetryAfter(header, now)).toBe(seconds * 1_000);
  });

  it.each([undefined, '', '0', '-5', 'soon', 'Tue, 24 Nov 2020 12:10:00 GMT'])('%s is ignored', (header) => {
    expect(parseRetryAfter(header, now)).toBe(0);
  });
});

describe('an endpoint after a failure', () => {
  const failure = { startedAt: now, durationMs: 5, statusCode: 500, error: 'status', retryAfterMs: 0 } as const;
  const health = (failures: number, failingSince: Date | null = failures > 0 ? after(-60_000) : null) => ({
    failures,
    failingSince,
    openUntil: null,
  });

  it('has failed since the first failure', () => {
    expect(healthAfterFailure(health(0), failure, now)).toMatchObject({ failures: 1, failingSince: now });
    expect(healthAfterFailure(health(1), failure, now)).toMatchObject({ failures: 2, failingSince: after(-60_000) });
  });

  it('has a closed breaker until the fifth failure, which then opens for 30 s to 10 minutes', () => {
    const openSeconds = (failures: number) =>
      secondsUntil(healthAfterFailure(health(failures), failure, now).openUntil);
    expect(healthAfterFailure(health(3), failure, now).openUntil).toBeNull();
    expect(Math.round(openSeconds(4) / 10)).toBe(3);
    expect(openSeconds(5)).toBeGreaterThan(50);
    expect(openSeconds(90)).toBeGreaterThan(500);
    expect(openSeconds(90)).toBeLessThanOrEqual(660);
  });

  it.each([429, 502, 504])('has an open breaker for 30 s after one response with the status %d', (statusCode) => {
    const { openUntil } = healthAfterFailure(health(0), { ...failure, statusCode }, now);
    expect(Math.round(secondsUntil(openUntil) / 10)).toBe(3);
    expect(secondsUntil(healthAfterFailure(health(90), { ...failure, statusCode }, now).openUntil)).toBeGreaterThan(
      500,
    );
  });

  it('is not paused for longer by attempts that were in progress when its breaker opened', () => {
    const open = { ...health(5), openUntil: after(25_000) };
    expect(healthAfterFailure(open, failure, now)).toMatchObject({ failures: 5, openUntil: after(25_000) });
    const isOver = { ...health(5), openUntil: after(-1) };
    expect(healthAfterFailure(isOver, failure, now).failures).toBe(6);
    expect(secondsUntil(healthAfterFailure(isOver, failure, now).openUntil)).toBeGreaterThan(50);
  });

  it('gets no attempt before Retry-After', () => {
    const throttled = { ...failure, statusCode: 429, retryAfterMs: 120_000 };
    expect(healthAfterFailure(health(0), throttled, now).openUntil).toEqual(after(120_000));
    expect(healthAfterFailure(health(4), throttled, now).openUntil).toEqual(after(120_000));
  });

  it('is disabled after five days of failures, and by 410 at once', () => {
    const days = (count: number) => after(-count * 86_400_000);
    expect(healthAfterFailure(health(50, days(4.9)), failure, now).disabledReason).toBeNull();
    expect(healthAfterFailure(health(50, days(5)), failure, now).disabledReason).toBe('failures');
    expect(healthAfterFailure(health(0), { ...failure, statusCode: 410 }, now).disabledReason).toBe('status-410');
  });
});

it.each([
  ['https://example.com:8443/hook', 'example.com:8443'],
  ['https://xn--localhost.test/', 'https://xn--localhost.test/'],
])('the host of %s is %s', (url, host) => {
  expect(hostOf(url)).toBe(host);
});
