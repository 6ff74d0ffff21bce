import OAuth2Server from '@node-oauth/oauth2-server';

/** The refusals of RFC 6749 as the library throws them: `name` is the error code. A message is never made of input. */
export const {
  AccessDeniedError,
  InvalidClientError,
  InvalidGrantError,
  InvalidRequestError,
  OAuthError,
  UnsupportedGrantTypeError,
} = OAuth2Server;

export type Refusal = OAuth2Server.OAuthError;

/**
 * The refusal that a client is told. Throws whatever else has happened: the library wraps it as its own, with a message
 * that is not for strangers.
 */
export function refusalIn(error: unknown): Refusal {
  if (error instanceof OAuthError && error.code < 500) return error;
  throw (error as { inner?: unknown }).inner ?? error;
}

// RFC 6749, section 5.2 and RFC 9110, section 15.5.2: how to prove oneself is said with every 401
const challenge = { 'www-authenticate': 'Basic realm="oauth"' };

/** Status and headers of a refusal at an endpoint that clients call. */
export const statusOf = (refusal: Refusal): { status: number; headers: Record<string, string> } =>
  refusal instanceof InvalidClientError ? { status: 401, headers: challenge } : { status: 400, headers: {} };
