import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { currentCall } from '#request-queue';

/**
 * Throws if the signal of the current call is aborted, as it is after its deadline, so that nothing
 * is stored for it. Never throws in shared work (`runShared`), whose signal is not aborted.
 *
 * @throws DomainError `service.no-answer`
 */
export function rejectLate(): void {
  if (currentCall()?.signal.aborted !== true) return;
  throw new DomainError(problems['service.no-answer'], 'The request exceeded its timeout, and nothing was stored.');
}
