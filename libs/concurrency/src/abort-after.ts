/**
 * Returns a signal that is aborted by a TimeoutError after `timeoutMs`, or with `signal`. It is
 * already aborted unless `timeoutMs` is positive. The timer does not prevent the process from
 * exiting.
 *
 * Garbage collection stops an `AbortSignal.timeout` that only `AbortSignal.any` refers to, so that
 * it never aborts (nodejs/node#57736).
 */
export function abortAfter(timeoutMs: number, signal?: AbortSignal): AbortSignal {
  const timeout = new AbortController();
  const expire = (): void =>
    timeout.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  if (timeoutMs > 0) setTimeout(expire, timeoutMs).unref();
  else expire();
  return signal ? AbortSignal.any([timeout.signal, signal]) : timeout.signal;
}
