import { scopes, type OAuthParameters, type Scope } from '#contracts';
import type { Client } from './client.queries.js';
import { InvalidRequestError, type OAuthError } from './oauth.errors.js';
import type { RequestParameters } from './request-parameters.rules.js';

/**
 * Returns the requested scopes, `read` by default, or null if one of them is unknown or not
 * registered.
 */
export function selectScopes(
  { scopes: registered }: Pick<Client, 'scopes'>,
  requested: readonly string[] = ['read'],
): Scope[] | null {
  const selected = scopes.filter((scope) => requested.includes(scope) && registered.includes(scope));
  return selected.length === new Set(requested).size ? selected : null;
}

/** Authorization request with its application. */
export interface AuthorizationRequest {
  readonly query: OAuthParameters;
  readonly parameters: RequestParameters;
  readonly client: Client;
}

/** SHA-256 in URL-safe base64 (RFC 7636, section 4.2). */
const challengePattern = /^[\w-]{43}$/;

/** Rules beyond those of oauth2-server. A violation is reported to the redirect URI. */
const rules: readonly (readonly [isViolated: (request: AuthorizationRequest) => boolean, description: string])[] = [
  [({ query }) => query.repeated.length > 0, 'A parameter is given more than once.'],
  [
    ({ parameters, client }) => !client.confidential && parameters['code_challenge'] === undefined,
    'An application without a secret has to send code_challenge (RFC 7636).',
  ],
  [
    ({ parameters }) => parameters['code_challenge'] === undefined && parameters['code_challenge_method'] !== undefined,
    'code_challenge is missing.',
  ],
  // A missing method would mean "plain" (RFC 7636, section 4.3)
  [
    ({ parameters }) => parameters['code_challenge'] !== undefined && parameters['code_challenge_method'] !== 'S256',
    'code_challenge_method has to be S256.',
  ],
  [
    ({ parameters }) =>
      parameters['code_challenge'] !== undefined && !challengePattern.test(parameters['code_challenge']),
    'code_challenge has to be a SHA-256 in URL-safe base64: 43 characters.',
  ],
];

/**
 * Returns the error of the first violated rule, or undefined. Client and redirect URI of the
 * request must be valid already.
 */
export function findRequestError(request: AuthorizationRequest): OAuthError | undefined {
  const [, description] = rules.find(([isViolated]) => isViolated(request)) ?? [];
  return description === undefined ? undefined : new InvalidRequestError(description);
}

/**
 * Returns true if the consent page can be skipped, because the user has allowed the scopes before.
 * A public client whose redirect URI is not https (a native application) always requires consent,
 * because any other application on the device could impersonate it (RFC 8252, section 8.6).
 */
export const canSkipConsent = (
  { confidential }: Pick<Client, 'confidential'>,
  { redirectUri, scopes: requested }: { redirectUri: string; scopes: readonly Scope[] },
  granted: readonly Scope[],
): boolean => (confidential || redirectUri.startsWith('https:')) && requested.every((scope) => granted.includes(scope));
