import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const userNotFound = (user: string | number): DomainError =>
  new DomainError(problems['user.not-found'], `User ${user} does not exist.`);

export const nameReserved = (name: string): DomainError =>
  new DomainError(problems['user.name-reserved'], `The name ${name} is reserved.`);

export const nameTaken = (name: string): DomainError =>
  new DomainError(problems['user.name-taken'], `The name ${name} is taken.`);

/** Error without the e-mail address, which the client knows already and logs must not contain. */
export const emailTaken = (): DomainError =>
  new DomainError(problems['user.email-taken'], 'Another user has this email address.');

export const nameMismatch = (): DomainError =>
  new DomainError(problems['user.name-differs'], "The name differs from the user's name.");

/**
 * Combines the errors of several fields of a request: the first one, with the title of each kind
 * as details, which the pages read. Returns undefined without errors.
 *
 * @param errors errors by field
 */
export function rejectionOf(errors: Readonly<Record<string, DomainError | undefined>>): DomainError | undefined {
  const found = Object.entries(errors).flatMap(([path, error]) => (error ? [{ path, error }] : []));
  const [first] = found;
  if (!first) return undefined;
  const details = found.map(({ path, error }) => ({ path, message: error.kind.title }));
  return new DomainError(first.error.kind, first.error.detail, details);
}

/** @param problem a sentence that never contains the password */
export const passwordEasyToGuess = (problem: string): DomainError =>
  new DomainError(problems['password.easy-to-guess'], problem);

export const passwordWrong = (): DomainError =>
  new DomainError(problems['password.wrong'], 'The password is incorrect.');
