import { problems } from '#contracts';
import { DomainError, type FieldError } from '#kernel';

/** Error for an unknown application and for one of another user; the two are indistinguishable. */
export const applicationNotFound = (applicationId: number): DomainError =>
  new DomainError(problems['application.not-found'], `Application ${applicationId} does not exist.`);

export const tooManyApplications = (maximum: number): DomainError =>
  new DomainError(problems['application.too-many'], `A user may have at most ${maximum} applications.`);

export const applicationHasNoSecret = (applicationId: number): DomainError =>
  new DomainError(problems['application.no-secret'], `Application ${applicationId} is public and has no secret.`);

export const redirectUrisInvalid = (errors: readonly FieldError[]): DomainError =>
  new DomainError(problems['redirect-uri.invalid'], `${errors[0]!.path}: ${errors[0]!.message}`, errors);
