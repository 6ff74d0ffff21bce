import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const userNotFound = (name: string): DomainError =>
  new DomainError(problems['user.not-found'], `User ${name} does not exist.`);
