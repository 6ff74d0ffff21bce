import { InvalidClientError, InvalidRequestError } from './oauth.errors.js';
import type { Sent } from './sent-parameters.rules.js';

/** What a client says of itself. `secret` null: it brings none. */
export interface Credentials {
  readonly clientId: string;
  readonly secret: string | null;
}

/** RFC 6749, section 2.3.1: both parts are form-encoded before they are joined. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    throw new InvalidClientError('The Authorization header is malformed.');
  }
}

function fromHeader(authorization: string): Credentials {
  const [, encoded] = /^basic +([a-z0-9+/_-]+=*) *$/i.exec(authorization) ?? [];
  const joined = Buffer.from(encoded ?? '', 'base64').toString();
  const colon = joined.indexOf(':');
  if (colon < 1) throw new InvalidClientError('The Authorization header is not one of Basic authentication.');
  return { clientId: decoded(joined.slice(0, colon)), secret: decoded(joined.slice(colon + 1)) || null };
}

/**
 * Reads how a client identifies itself: by HTTP Basic or in the form, never by both (RFC 6749, section 2.3).
 *
 * @throws InvalidRequestError, InvalidClientError
 */
export function readCredentials(authorization: string | null, form: Sent): Credentials {
  const { client_id: clientId, client_secret: secret = null } = form;
  if (authorization === null) {
    if (clientId === undefined) throw new InvalidClientError('The client does not say who it is.');
    return { clientId, secret };
  }
  const credentials = fromHeader(authorization);
  if (secret !== null || (clientId !== undefined && clientId !== credentials.clientId))
    throw new InvalidRequestError('The client identifies itself in two ways.');
  return credentials;
}
