import { limits, problems } from '#contracts';
import { DomainError } from '#kernel';

/**
 * Error for a missing endpoint and for an endpoint of another user: a client must not be able to
 * distinguish the two.
 */
export const endpointNotFound = (endpointId: number): DomainError =>
  new DomainError(problems['webhook-endpoint.not-found'], `Webhook endpoint ${endpointId} does not exist.`);

export const endpointNotEnabled = (endpointId: number): DomainError =>
  new DomainError(
    problems['webhook-endpoint.not-enabled'],
    `Webhook endpoint ${endpointId} is paused or disabled. Enable it first.`,
  );

export const tooManyEndpoints = (): DomainError =>
  new DomainError(
    problems['webhook-endpoint.too-many'],
    `A user may have at most ${limits.webhookEndpointsPerUser} webhook endpoints. Delete one first.`,
  );

/** @param reason clause about the URL, such as `it must be https` */
export const urlNotAllowed = (reason: string): DomainError =>
  new DomainError(problems['webhook-endpoint.url-not-allowed'], `The URL is not allowed: ${reason}.`, [
    { path: 'body.url', message: reason.replace(/^its? /, '') },
  ]);

export const applicationNotFound = (applicationId: number): DomainError =>
  new DomainError(problems['application.not-found'], `Application ${applicationId} does not exist.`, [
    { path: 'body.applicationId', message: 'is not an application of the user' },
  ]);
