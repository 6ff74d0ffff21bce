import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const userNotFound = (user: string | number): DomainError =>
  new DomainError(problems['user.not-found'], `There is no user ${user}.`);

export const nameReserved = (name: string): DomainError =>
  new DomainError(problems['user.name-reserved'], `The name ${name} is reserved.`);

export const nameTaken = (name: string): DomainError =>
  new DomainError(problems['user.name-taken'], `The name ${name} is taken.`);

/** Without the address: whoever may ask knows it already, and a log does not need it. */
export const emailTaken = (): DomainError =>
  new DomainError(problems['user.email-taken'], 'There is a user with this e-mail address.');

export const nameDiffers = (): DomainError =>
  new DomainError(problems['user.name-differs'], 'The name is not that of the user.');

/** `problem` is a sentence, and never the password. */
export const easyToGuess = (problem: string): DomainError =>
  new DomainError(problems['password.easy-to-guess'], problem);

export const passwordWrong = (): DomainError => new DomainError(problems['password.wrong'], 'The password is wrong.');
