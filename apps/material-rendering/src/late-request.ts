import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { currentCall } from '#request-queue';

/**
 * Throws if the deadline of the current call has passed or its signal is aborted, so that nothing
 * is stored for it. Shared work (`runShared`) has neither a deadline nor the signal of a caller.
 *
 * @throws DomainError `service.no-answer`
 */
export function rejectLate(): void {
  if (currentCall()?.signal.aborted !== true) return;
  throw new DomainError(problems['service.no-answer'], 'The request exceeded its timeout, and nothing was stored.');
}
