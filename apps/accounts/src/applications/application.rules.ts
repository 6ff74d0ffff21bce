import { randomBytes } from 'node:crypto';
import { redirectUriProblems, type Scope, scopes } from '#contracts';
import type { FieldError } from '#kernel';
import { redirectUriProblem } from '../oauth/redirect-uri.rules.js';

/** How many applications a user may have. */
export const applicationsMaximum = 100;

/** The public name of an application: 24 URL-safe characters. */
export const freshClientId = (): string => randomBytes(18).toString('base64url');

/** Everything needs `read`, so that every application has it. Each scope once, in the order of the contract. */
export const registeredScopes = (wanted: readonly Scope[]): Scope[] =>
  scopes.filter((scope) => scope === 'read' || wanted.includes(scope));

/** What is wrong with the redirect URIs of an application, one by one: `redirectUris.0`. */
export const redirectUriErrors = (uris: readonly string[]): FieldError[] =>
  uris.flatMap((uri, index) => {
    const message = uris.indexOf(uri) < index ? redirectUriProblems.repeated : redirectUriProblem(uri);
    return message === null ? [] : [{ path: `redirectUris.${index}`, message }];
  });
