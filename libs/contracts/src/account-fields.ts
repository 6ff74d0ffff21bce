import { z } from 'zod';
import { text } from './field.js';
import { visibleLine } from './visible-line.js';

// Fields of users, applications and sessions, the same for the API, the pages and the operator
// command

/** Scopes that a user can grant to an application. */
export const scopes = ['read', 'write'] as const;
export const Scope = z.enum(scopes);
export type Scope = z.output<typeof Scope>;

/** Scopes of access tokens. Only the operator creates tokens with `production`. */
export const TokenScope = z.enum([...scopes, 'production']);
export type TokenScope = z.output<typeof TokenScope>;

export const userName = z
  .string()
  .min(1)
  .max(50)
  .regex(/^[\w-]+$/, { error: 'must contain only letters, digits, underscores and hyphens' });

/** Name shown instead of the user name. An empty string removes it. */
export const displayName = visibleLine(0, 255);

export const emailAddress = z.email({ error: 'must be an email address' }).max(254);

/** Password to set. The accounts service also rejects passwords that are easy to guess. */
export const newPassword = z.string().min(10, { error: 'must have at least 10 characters' }).max(1_000);

/** Password to verify, without further rules. */
export const typedPassword = z.string().max(1_000);

/** User name or email address of a sign-in, as typed. */
export const login = z
  .string()
  .max(254)
  .refine((value) => !/[\p{Cc}\p{Cs}]/u.test(value), { error: 'must not contain control characters' });

/**
 * Opaque token: a session, an access token, the token of a mailed link, a browser token of a
 * sign-in, or the ticket of a new identity. Those of the accounts service have 43 characters of
 * URL-safe base64; input is only limited in length.
 */
export const opaque = z.string().max(512);

/**
 * Name of an application. Users identify applications by it on the consent page, so invisible
 * characters and changes of the text direction are rejected.
 */
export const applicationName = visibleLine(1, 100);
export const applicationDescription = text(0, 1_000);

export const redirectUriText = z.string().max(2_000);

/**
 * Validation errors of a redirect URI: clauses to append to the path of the field. Pages have their
 * own texts.
 */
export const redirectUriProblems = {
  length: 'must have at most 2000 characters',
  fragment: 'must not have a fragment',
  wildcard: 'must not have a wildcard',
  characters: 'must contain only characters that are valid in a URI',
  relative: 'must be an absolute URI',
  credentials: 'must not contain a user name or a password',
  http: 'must use https, unless its host is 127.0.0.1, [::1] or localhost',
  scheme: 'must use https, or a scheme that is a reversed domain name such as com.example.app',
  spelling: 'must be in normal form',
  parameters:
    'must not have the query parameters code, state, iss, error, error_description or error_uri, which the response adds',
  repeated: 'must be unique',
} as const;
export type RedirectUriProblem = keyof typeof redirectUriProblems;
