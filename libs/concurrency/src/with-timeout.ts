import { deferred } from './deferred.js';

/**
 * Returns the promise's value, or after `timeoutMs` what `onTimeout` returns or throws. The timer is cleared as soon as the
 * promise is settled. The operation behind the promise continues after a timeout, and its later rejection is ignored.
 */
export async function withTimeout<Value, Instead>(
  promise: PromiseLike<Value>,
  timeoutMs: number,
  onTimeout: () => Instead | PromiseLike<Instead>,
): Promise<Value | Instead> {
  const expired = deferred();
  const timer = setTimeout(expired.resolve, timeoutMs);
  try {
    return await Promise.race([promise, expired.promise.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
