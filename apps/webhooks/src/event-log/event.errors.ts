import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const cursorExpired = (): DomainError =>
  new DomainError(
    problems['event.cursor-expired'],
    'The log no longer contains all events after this cursor. Read `after=latest`, then the resources again, and continue from that cursor.',
  );
