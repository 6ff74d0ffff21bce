import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const providerUnknown = (name: string): DomainError =>
  new DomainError(problems['identity.provider-unknown'], `Provider ${name} does not exist.`);

export const providerUnavailable = (label: string): DomainError =>
  new DomainError(problems['identity.provider-away'], `${label} is not available.`, undefined, {
    'retry-after': '30',
  });

export const rejectedByProvider = (label: string): DomainError =>
  new DomainError(problems['identity.refused'], `${label} did not confirm the identity.`);

export const signInExpired = (): DomainError =>
  new DomainError(
    problems['identity.expired'],
    'The sign-in took too long, or was started in another browser. Start again.',
  );

export const identityTaken = (): DomainError =>
  new DomainError(problems['identity.taken'], 'The identity is linked to another user.');

export const identityNotFound = (): DomainError =>
  new DomainError(problems['identity.not-found'], 'The identity is not linked to the user.');

export const lastSignInMethod = (): DomainError =>
  new DomainError(
    problems['identity.last'],
    'This identity is the only way to sign in: set a password or link another identity first.',
  );
