import { jest } from '@jest/globals';
import { deferred } from './deferred.js';
import { withTimeout } from './with-timeout.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const hour = 3_600_000;

describe('withTimeout', () => {
  it('returns the value or throws the error of the promise, and clears the timer', async () => {
    await expect(withTimeout(Promise.resolve('value'), hour, () => 'late')).resolves.toBe('value');
    await expect(withTimeout(Promise.reject(new Error('broken')), hour, () => 'late')).rejects.toThrow('broken');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('returns or throws the result of onTimeout, and ignores the promise afterwards', async () => {
    const [first, second] = [deferred<string>(), deferred<string>()];
    const fallback = withTimeout(first.promise, 100, () => 'late');
    const failure = withTimeout(second.promise, 100, () => {
      throw new Error('too late');
    });
    jest.advanceTimersByTime(100);
    await expect(fallback).resolves.toBe('late');
    await expect(failure).rejects.toThrow('too late');
    first.resolve('value');
    second.reject(new Error('broken'));
  });

  it('returns a value that arrives while onTimeout is pending', async () => {
    const { promise, resolve } = deferred<string>();
    const never = new Promise<string>(() => undefined);
    const value = withTimeout(promise, 100, () => never);
    jest.advanceTimersByTime(100);
    await Promise.resolve();
    resolve('value');
    await expect(value).resolves.toBe('value');
  });
});
