import { jest } from '@jest/globals';

/**
 * From now on a `setTimeout` is over when the test says so (`jest.advanceTimersByTime`), and not when the machine is slow;
 * `jest.useRealTimers` ends that. Nothing else stands still: Redis is asked as ever, and `eventually` waits.
 */
export function holdTimeouts(): void {
  jest.useFakeTimers({
    doNotFake: [
      ...(['Date', 'performance', 'hrtime', 'nextTick', 'queueMicrotask'] as const),
      ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
    ],
  });
}
