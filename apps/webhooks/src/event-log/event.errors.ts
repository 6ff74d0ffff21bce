import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const cursorExpired = (): DomainError =>
  new DomainError(
    problems['event.cursor-expired'],
    'Events after this cursor are deleted. Read the resources again, and continue from `after=latest`.',
  );
