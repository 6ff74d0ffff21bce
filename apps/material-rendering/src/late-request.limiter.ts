import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { currentCall } from '#request-queue';

/**
 * Throws if the current call has timed out: its caller has received an error already, so nothing
 * may be stored for it.
 */
export function rejectLate(): void {
  if (currentCall()?.signal.aborted !== true) return;
  throw new DomainError(problems['service.no-answer'], 'the request exceeded its timeout, and nothing was stored');
}
