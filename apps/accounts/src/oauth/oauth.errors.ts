import OAuth2Server from '@node-oauth/oauth2-server';

/**
 * Errors of RFC 6749 as the library throws them: `name` is the error code. No message that is sent
 * to a client contains input.
 */
export const {
  AccessDeniedError,
  InvalidClientError,
  InvalidGrantError,
  InvalidRequestError,
  OAuthError,
  UnsupportedGrantTypeError,
} = OAuth2Server;

export type OAuthError = OAuth2Server.OAuthError;

/**
 * Returns an error that the client can correct. Rethrows any other error, unwrapped: the library
 * wraps it in a `ServerError` with the same message, which must not reach clients.
 */
export function toOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError && error.code < 500) return error;
  throw (error as { inner?: unknown }).inner ?? error;
}

// RFC 6749, section 5.2 and RFC 9110, section 15.5.2: every 401 names the authentication scheme
const challenge = { 'www-authenticate': 'Basic realm="oauth"' };

/** Returns status and headers of an error response at the endpoints for clients. */
export const statusOf = (error: OAuthError): { status: number; headers: Record<string, string> } =>
  error instanceof InvalidClientError ? { status: 401, headers: challenge } : { status: 400, headers: {} };
