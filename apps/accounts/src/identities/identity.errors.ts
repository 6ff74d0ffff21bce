import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const providerUnknown = (name: string): DomainError =>
  new DomainError(problems['identity.provider-unknown'], `There is no provider ${name}.`);

export const providerAway = (label: string): DomainError =>
  new DomainError(problems['identity.provider-away'], `${label} does not answer as it should.`, undefined, {
    'retry-after': '30',
  });

export const refusedBy = (label: string): DomainError =>
  new DomainError(problems['identity.refused'], `${label} did not confirm the identity.`);

export const expired = (): DomainError =>
  new DomainError(problems['identity.expired'], 'The sign-in took too long, or was begun somewhere else. Begin again.');

export const identityTaken = (): DomainError =>
  new DomainError(problems['identity.taken'], 'The identity is linked to another user.');

export const identityNotFound = (): DomainError =>
  new DomainError(problems['identity.not-found'], 'The user has no such identity.');

export const lastWayIn = (): DomainError =>
  new DomainError(
    problems['identity.last'],
    'It is the last way to sign in: set a password or link another one first.',
  );
