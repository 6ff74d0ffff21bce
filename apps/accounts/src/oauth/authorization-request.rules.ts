import { scopes, type OAuthParameters, type Scope } from '#contracts';
import type { Client } from './client.queries.js';
import { InvalidRequestError, type Refusal } from './oauth.errors.js';
import type { Sent } from './sent-parameters.rules.js';

/** What scopes a request gives to choose from: what was registered of what it names, or `read` when it names none. */
export function scopesFor(
  { scopes: registered }: Pick<Client, 'scopes'>,
  named: readonly string[] = ['read'],
): Scope[] | null {
  const known = scopes.filter((scope) => named.includes(scope) && registered.includes(scope));
  return known.length === new Set(named).size ? known : null;
}

/** A request, and the application that it came from. */
export interface Asked {
  readonly query: OAuthParameters;
  readonly sent: Sent;
  readonly client: Client;
}

/** SHA-256 in URL-safe base64 (RFC 7636, section 4.2). */
const challengeForm = /^[\w-]{43}$/;

/** What the library lets pass. Each rule is a refusal that the application gets to hear. */
const rules: readonly (readonly [broken: (asked: Asked) => boolean, description: string])[] = [
  [({ query }) => query.repeated.length > 0, 'A parameter is given more than once.'],
  [
    ({ sent, client }) => !client.confidential && sent['code_challenge'] === undefined,
    'An application without a secret has to send code_challenge (RFC 7636).',
  ],
  [
    ({ sent }) => sent['code_challenge'] === undefined && sent['code_challenge_method'] !== undefined,
    'code_challenge is missing.',
  ],
  // A method that is not named would be "plain"
  [
    ({ sent }) => sent['code_challenge'] !== undefined && sent['code_challenge_method'] !== 'S256',
    'code_challenge_method has to be S256.',
  ],
  [
    ({ sent }) => sent['code_challenge'] !== undefined && !challengeForm.test(sent['code_challenge']),
    'code_challenge has to be a SHA-256 in URL-safe base64: 43 characters.',
  ],
];

/** What is wrong with a request whose client and redirect URI are known to be good. */
export function requestProblem(asked: Asked): Refusal | undefined {
  const [, description] = rules.find(([broken]) => broken(asked)) ?? [];
  return description === undefined ? undefined : new InvalidRequestError(description);
}

/**
 * Whether a request may be granted without a question, because the user has allowed as much before. A native application
 * without a secret is always asked about: any other on the device could pretend to be it (RFC 8252, section 8.6).
 */
export const goesUnasked = (
  { confidential }: Pick<Client, 'confidential'>,
  { redirectUri, scopes: wanted }: { redirectUri: string; scopes: readonly Scope[] },
  granted: readonly Scope[],
): boolean => (confidential || redirectUri.startsWith('https:')) && wanted.every((scope) => granted.includes(scope));
