import { problems } from '#contracts';
import { DomainError } from '#kernel';

/**
 * The same error for an unknown user, a user without a password, a wrong password, and a user who
 * was deleted or whose password was changed during the sign-in.
 */
export const signInRejected = (): DomainError =>
  new DomainError(problems['sign-in.refused'], 'The user name or password is incorrect.');

export const tooManyAttempts = (afterMs: number): DomainError => {
  const seconds = String(Math.max(1, Math.ceil(afterMs / 1_000)));
  const headers = { 'retry-after': seconds };
  return new DomainError(problems['sign-in.too-many'], `Try again in ${seconds} seconds.`, undefined, headers);
};

export const attemptsUncounted = (): DomainError =>
  new DomainError(problems['service.unavailable'], 'Sign-in attempts cannot be counted at the moment.', undefined, {
    'retry-after': '1',
  });
