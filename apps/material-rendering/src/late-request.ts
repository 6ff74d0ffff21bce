import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { currentCall } from '#request-queue';

/**
 * Throws if the current call was aborted: its deadline has passed or its client has disconnected,
 * so nothing may be stored for it.
 *
 * @throws DomainError `service.no-answer`
 */
export function rejectLate(): void {
  if (currentCall()?.signal.aborted !== true) return;
  throw new DomainError(problems['service.no-answer'], 'The request exceeded its timeout, and nothing was stored.');
}
