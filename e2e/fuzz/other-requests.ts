import fc from 'fast-check';
import { type Asked, inPath } from './asked.js';
import { formTypes, oddHeaders } from './headers.js';
import { formBodies } from './page-requests.js';
import { oddText } from './values.js';
import type { World } from './world.js';

const line = fc.oneof({ arbitrary: fc.constantFrom('read', 'write', 'x'), weight: 1 }, oddText);

/** What OAuth clients send, and the question in a browser. */
export function oauthRequests(world: World): fc.Arbitrary<Asked> {
  const { clientId, clientSecret } = world;
  const client = fc.oneof(fc.constantFrom(clientId, clientId, 'x'), oddText);
  const fields = {
    grant_type: fc.constantFrom('authorization_code', 'refresh_token', 'password', '__proto__'),
    client_id: client,
    client_secret: fc.oneof(fc.constantFrom(clientSecret, 'x'), oddText),
    code: line,
    redirect_uri: fc.oneof(fc.constant('http://127.0.0.1/callback'), fc.webUrl(), oddText),
    token: fc.oneof(fc.constantFrom(...world.tokens.slice(2)), oddText),
    code_verifier: line,
  };
  const basic = fc.tuple(client, line).map(([id, secret]) => Buffer.from(`${id}:${secret}`).toString('base64'));
  const endpoint = fc.constantFrom('/oauth/token', '/oauth/introspect', '/oauth/token/', '/oauth/revoke');
  const posts = fc.record({
    route: fc.constant('oauth endpoints'),
    method: fc.constant('POST'),
    path: endpoint,
    query: fc.constant([]),
    headers: fc
      .tuple(formTypes, fc.option(basic), oddHeaders)
      .map(([type, secret, odd]): [string, string][] => [
        ['content-type', type],
        ...(secret === null ? [] : [['authorization', `Basic ${secret}`] satisfies [string, string]]),
        ...odd,
      ]),
    // A revocation would end the key that the others need
    body: formBodies({ ...fields, token: line }, []),
  });
  const question = fc.record({
    route: fc.constant('oauth/authorize'),
    method: fc.constant('GET'),
    path: fc.constant('/oauth/authorize'),
    query: fc
      .record({
        client_id: client,
        scope: line,
        redirect_uri: fields.redirect_uri,
        state: oddText,
        response_type: fc.constantFrom('code', 'token', ''),
        code_challenge: line,
        code_challenge_method: line,
      })
      .map((it) => Object.entries(it)),
    headers: oddHeaders.map((odd): [string, string][] => [['cookie', world.cookie], ...odd]),
  });
  return fc.oneof(posts, question);
}

/** Addresses of images: right ones with other words in them, and what leads out of the folder of blobs. */
export function imageRequests({ images }: World): fc.Arbitrary<Asked> {
  const changed = fc.tuple(fc.constantFrom(...images), fc.nat(20), inPath).map(([image, at, text]) => {
    const [path = '', query = ''] = image.split('?');
    const parts = path.split('/');
    parts[3 + (at % (parts.length - 3))] = text;
    return `${parts.join('/')}?${query}`;
  });
  const odd = fc.array(inPath, { minLength: 1, maxLength: 8 }).map((parts) => `/images/v1/${parts.join('/')}`);
  return fc.record({
    route: fc.constant('images'),
    method: fc.constant('GET'),
    path: fc.oneof({ arbitrary: fc.constantFrom(...images), weight: 1 }, { arbitrary: changed, weight: 4 }, odd),
    query: fc.array(fc.tuple(fc.constantFrom('h', 'printed', 'v', 'x'), oddText), { maxLength: 1 }),
    headers: oddHeaders,
  });
}
