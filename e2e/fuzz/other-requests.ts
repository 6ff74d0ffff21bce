import fc from 'fast-check';
import { type FuzzRequest, unusualSegment } from './fuzz-request.js';
import { formTypes, unusualHeaders } from './headers.js';
import { formBodies } from './page-requests.js';
import { unusualText } from './values.js';
import type { FuzzFixture } from './fuzz-fixture.js';

const scopeOrText = fc.oneof({ arbitrary: fc.constantFrom('read', 'write', 'x'), weight: 1 }, unusualText);

/**
 * Generates POST requests to the OAuth endpoints token, introspect and revoke, and GET requests for
 * the consent page.
 */
export function oauthRequests(fixture: FuzzFixture): fc.Arbitrary<FuzzRequest> {
  const { clientId, clientSecret } = fixture;
  const client = fc.oneof(fc.constantFrom(clientId, clientId, 'x'), unusualText);
  const fields = {
    grant_type: fc.constantFrom('authorization_code', 'refresh_token', 'password', '__proto__'),
    client_id: client,
    client_secret: fc.oneof(fc.constantFrom(clientSecret, 'x'), unusualText),
    code: scopeOrText,
    redirect_uri: fc.oneof(fc.constant('http://127.0.0.1/callback'), fc.webUrl(), unusualText),
    token: fc.oneof(fc.constantFrom(...fixture.tokens.slice(2)), unusualText),
    code_verifier: scopeOrText,
  };
  const basic = fc.tuple(client, scopeOrText).map(([id, secret]) => Buffer.from(`${id}:${secret}`).toString('base64'));
  const endpoint = fc.constantFrom('/oauth/token', '/oauth/introspect', '/oauth/token/', '/oauth/revoke');
  const posts = fc.record({
    route: fc.constant('oauth endpoints'),
    method: fc.constant('POST'),
    path: endpoint,
    query: fc.constant([]),
    headers: fc
      .tuple(formTypes, fc.option(basic), unusualHeaders)
      .map(([type, secret, odd]): [string, string][] => [
        ['content-type', type],
        ...(secret === null ? [] : [['authorization', `Basic ${secret}`] satisfies [string, string]]),
        ...odd,
      ]),
    // The token is never an API key: a revocation would invalidate it for other requests
    body: formBodies({ ...fields, token: scopeOrText }, []),
  });
  const question = fc.record({
    route: fc.constant('oauth/authorize'),
    method: fc.constant('GET'),
    path: fc.constant('/oauth/authorize'),
    query: fc
      .record({
        client_id: client,
        scope: scopeOrText,
        redirect_uri: fields.redirect_uri,
        state: unusualText,
        response_type: fc.constantFrom('code', 'token', ''),
        code_challenge: scopeOrText,
        code_challenge_method: scopeOrText,
      })
      .map((it) => Object.entries(it)),
    headers: unusualHeaders.map((odd): [string, string][] => [['cookie', fixture.cookie], ...odd]),
  });
  return fc.oneof(posts, question);
}

/** Generates image requests: most with a replaced segment, some valid, some of arbitrary paths. */
export function imageRequests({ images }: FuzzFixture): fc.Arbitrary<FuzzRequest> {
  const changed = fc.tuple(fc.constantFrom(...images), fc.nat(20), unusualSegment).map(([image, at, text]) => {
    const [path = '', query = ''] = image.split('?');
    const parts = path.split('/');
    parts[3 + (at % (parts.length - 3))] = text;
    return `${parts.join('/')}?${query}`;
  });
  const odd = fc.array(unusualSegment, { minLength: 1, maxLength: 8 }).map((parts) => `/images/v1/${parts.join('/')}`);
  return fc.record({
    route: fc.constant('images'),
    method: fc.constant('GET'),
    path: fc.oneof({ arbitrary: fc.constantFrom(...images), weight: 1 }, { arbitrary: changed, weight: 4 }, odd),
    query: fc.array(fc.tuple(fc.constantFrom('h', 'printed', 'v', 'proof', 'x'), unusualText), { maxLength: 1 }),
    headers: unusualHeaders,
  });
}
