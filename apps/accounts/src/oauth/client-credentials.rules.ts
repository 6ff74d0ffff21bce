import { InvalidClientError, InvalidRequestError } from './oauth.errors.js';
import type { RequestParameters } from './request-parameters.rules.js';

/** Credentials of a client. `secret` is null when it is missing or empty. */
export interface Credentials {
  readonly clientId: string;
  readonly secret: string | null;
}

/**
 * Decodes client id or secret: clients form-encode both before Base64 (RFC 6749, section 2.3.1).
 */
function formDecode(part: string): string {
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
  if (colon < 1) throw new InvalidClientError('The Authorization header is not valid HTTP Basic.');
  return { clientId: formDecode(joined.slice(0, colon)), secret: formDecode(joined.slice(colon + 1)) || null };
}

/**
 * Reads the credentials of a client, from HTTP Basic or from the form, never from both (RFC 6749,
 * section 2.3). With HTTP Basic, the form may repeat the client id.
 *
 * @throws InvalidClientError for a malformed header or a missing client id, InvalidRequestError for
 *   credentials in both
 */
export function readCredentials(authorization: string | null, form: RequestParameters): Credentials {
  const { client_id: clientId, client_secret: secret = null } = form;
  if (authorization === null) {
    if (clientId === undefined) throw new InvalidClientError('The client_id is missing.');
    return { clientId, secret };
  }
  const credentials = fromHeader(authorization);
  if (secret !== null || (clientId !== undefined && clientId !== credentials.clientId))
    throw new InvalidRequestError('The client sends credentials in two ways.');
  return credentials;
}
