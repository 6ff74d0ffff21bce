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

/** @param problem a sentence that never contains the password */
export const passwordEasyToGuess = (problem: string): DomainError =>
  new DomainError(problems['password.easy-to-guess'], problem);

export const passwordWrong = (): DomainError =>
  new DomainError(problems['password.wrong'], 'The password is incorrect.');
