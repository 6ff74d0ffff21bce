/**
 * Returns a signal that is aborted by a TimeoutError after `timeoutMs`, or with `signal`. It is
 * already aborted if `timeoutMs` is 0 or less. The timer does not prevent the process from exiting.
 *
 * `AbortSignal.timeout` is not used: garbage collection stops one that only `AbortSignal.any`
 * refers to, and it never aborts (nodejs/node#57736).
 *
 * @param timeoutMs less than 2^31
 */
export function abortAfter(timeoutMs: number, signal?: AbortSignal): AbortSignal {
  const timeout = new AbortController();
  const expire = (): void =>
    timeout.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  if (timeoutMs > 0) setTimeout(expire, timeoutMs).unref();
  else expire();
  return signal ? AbortSignal.any([timeout.signal, signal]) : timeout.signal;
}
