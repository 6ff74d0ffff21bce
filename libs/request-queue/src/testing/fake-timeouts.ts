import { jest } from '@jest/globals';

/**
 * Fakes only `setTimeout` and `clearTimeout`, until `jest.useRealTimers`. The test advances the
 * timers by `jest.advanceTimersByTime`, so that a slow machine does not matter. Redis replies and
 * `eventually` waits as usual.
 */
export function fakeTimeouts(): void {
  jest.useFakeTimers({
    doNotFake: [
      ...(['Date', 'performance', 'hrtime', 'nextTick', 'queueMicrotask'] as const),
      ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
    ],
  });
}
