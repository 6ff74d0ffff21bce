import { deferred } from './deferred.js';

interface TimeoutOptions {
  /**
   * True to prevent the process from exiting until the timer fires or the promise is settled.
   * Needed where only code of this process can settle the promise. Default false.
   */
  readonly ref?: boolean;
}

/**
 * Returns the promise's value, or after `timeoutMs` the result of `onTimeout`. The timer is cleared
 * as soon as the promise is settled. The operation of the promise continues after a timeout, and
 * its later rejection is ignored.
 *
 * The timer does not prevent the process from exiting, like that of `AbortSignal.timeout`. An
 * operation that can still succeed has a socket, a child process or a timer, which prevents the
 * exit. Without any of them the process exits, and the code behind `await` does not run.
 */
export async function withTimeout<Value, Fallback>(
  promise: PromiseLike<Value>,
  timeoutMs: number,
  onTimeout: () => Fallback | PromiseLike<Fallback>,
  { ref = false }: TimeoutOptions = {},
): Promise<Value | Fallback> {
  const expired = deferred();
  const timer = setTimeout(expired.resolve, timeoutMs);
  if (!ref) timer.unref();
  try {
    return await Promise.race([promise, expired.promise.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
