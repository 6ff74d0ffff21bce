import { problems } from '#contracts';
import { DomainError } from '#kernel';

/** The same error for an unknown, used, replaced or expired link. */
export const linkExpired = (): DomainError =>
  new DomainError(problems['link.expired'], 'The link has expired or has already been used.');
