import { deferred } from './deferred.js';

interface TimeoutOptions {
  /** Whether the timer keeps the process alive: true where only code of this process can settle the promise. Default false. */
  readonly ref?: boolean;
}

/**
 * Returns the promise's value, or after `timeoutMs` what `onTimeout` returns or throws. The timer is cleared as soon as the
 * promise is settled. The operation behind the promise continues after a timeout, and its later rejection is ignored.
 *
 * The timer alone does not keep the process alive, as that of `AbortSignal.timeout`: an operation that can still succeed has
 * a socket, a child process or a timer that does. Without any of them the process ends, and the code behind `await` does not run.
 */
export async function withTimeout<Value, Instead>(
  promise: PromiseLike<Value>,
  timeoutMs: number,
  onTimeout: () => Instead | PromiseLike<Instead>,
  { ref = false }: TimeoutOptions = {},
): Promise<Value | Instead> {
  const expired = deferred();
  const timer = setTimeout(expired.resolve, timeoutMs);
  if (!ref) timer.unref();
  try {
    return await Promise.race([promise, expired.promise.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
