import { randomBytes } from 'node:crypto';
import { redirectUriProblems, type Scope, scopes } from '#contracts';
import type { FieldError } from '#kernel';
import { findRedirectUriError } from '../oauth/redirect-uri.rules.js';

export const maxApplicationsPerUser = 100;

export const generateClientId = (): string => randomBytes(18).toString('base64url');

/**
 * Returns each requested scope once, in the order of the contract, and always `read`, which every
 * operation needs.
 */
export const registeredScopes = (requested: readonly Scope[]): Scope[] =>
  scopes.filter((scope) => scope === 'read' || requested.includes(scope));

/** Returns the validation errors of redirect URIs, with paths such as `redirectUris.0`. */
export const redirectUriErrors = (uris: readonly string[]): FieldError[] =>
  uris.flatMap((uri, index) => {
    const message = uris.indexOf(uri) < index ? redirectUriProblems.repeated : findRedirectUriError(uri);
    return message === null ? [] : [{ path: `redirectUris.${index}`, message }];
  });
