import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { currentCall } from '#request-queue';

/** When nobody waits for the answer any more, the request was refused: nothing may be stored for it. */
export function rejectLate(): void {
  if (currentCall()?.signal.aborted !== true) return;
  throw new DomainError(problems['service.no-answer'], 'the images could not be taken in within the time');
}
