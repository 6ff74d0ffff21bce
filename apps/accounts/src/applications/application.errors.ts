import { problems } from '#contracts';
import { DomainError, type FieldError } from '#kernel';

/** There is no such application, or it is somebody else's: the answer is the same. */
export const applicationNotFound = (applicationId: number): DomainError =>
  new DomainError(problems['application.not-found'], `There is no application ${applicationId}.`);

export const tooManyApplications = (maximum: number): DomainError =>
  new DomainError(problems['application.too-many'], `A user may have ${maximum} applications.`);

export const noSecret = (applicationId: number): DomainError =>
  new DomainError(problems['application.no-secret'], `Application ${applicationId} is a public one.`);

export const redirectUrisInvalid = (errors: readonly FieldError[]): DomainError =>
  new DomainError(problems['redirect-uri.invalid'], `${errors[0]!.path}: ${errors[0]!.message}`, errors);
