import { z } from 'zod';
import { text } from './field.js';
import { visibleLine } from './visible-line.js';

/** What people and applications write of themselves, wherever it is written: at the API's edge, on a page, by an operator. */

export const scopes = ['read', 'write'] as const;
export const Scope = z.enum(scopes);
export type Scope = z.output<typeof Scope>;

export const userName = z
  .string()
  .min(1)
  .max(50)
  .regex(/^[\w-]+$/, { error: 'must consist of word characters and hyphens' });

/** Shown instead of the user name; empty is none. */
export const displayName = visibleLine(0, 255);

export const emailAddress = z.email({ error: 'must be an e-mail address' }).max(254);

/** One that is chosen. That it is not easy to guess is a rule of accounts. */
export const newPassword = z.string().min(10, { error: 'must have at least 10 characters' }).max(1_000);

/** One that is to be checked: whatever was typed. */
export const typedPassword = z.string().max(1_000);

/** A user name or an e-mail address, as typed. */
export const login = z
  .string()
  .max(254)
  .refine((value) => !/[\p{Cc}\p{Cs}]/u.test(value), { error: 'must not contain control characters' });

/** An opaque value that a browser or a client holds: 43 characters of URL-safe base64 where it is ours. */
export const opaque = z.string().max(512);

/** People tell applications apart by it when they are asked, so nothing in it may be unseen or turn the text around. */
export const applicationName = visibleLine(1, 100);
export const applicationDescription = text(0, 1_000);

export const redirectUriText = z.string().max(2_000);

/** What can be wrong with a redirect URI, in words that fit behind its path. Pages say it in their own words. */
export const redirectUriProblems = {
  length: 'must have at most 2000 characters',
  fragment: 'must not have a fragment',
  wildcard: 'must not have a wildcard',
  characters: 'must consist of characters that a URI may have',
  relative: 'must be an absolute URI',
  credentials: 'must not hold a user name or a password',
  http: 'must use https, unless it leads to 127.0.0.1, [::1] or localhost',
  scheme: 'must use https, or a scheme that is a reversed domain name such as com.example.app',
  spelling: 'must be written in its normal form',
  parameters: 'must not have code, state, iss or error in its query, which the answer adds',
  repeated: 'must be there only once',
} as const;
export type RedirectUriProblem = keyof typeof redirectUriProblems;
