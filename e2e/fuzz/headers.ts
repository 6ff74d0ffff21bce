import fc from 'fast-check';
import { canaries } from './canaries.js';
import { unusualText } from './values.js';

/** Removes characters that a header cannot contain, such as line breaks. */
const removeInvalidCharacters = (text: string): string => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').trim();

const anyOf = (...texts: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ arbitrary: fc.constantFrom(...texts), weight: 5 }, unusualText);

/** Values of headers that servers or proxies interpret: usual and unusual ones. */
const headerValues: Readonly<Record<string, fc.Arbitrary<string>>> = {
  accept: anyOf('text/html', 'text/html;q=0.1, application/json', '*/*', 'application/xml;q=x', ',;=,', 'text/html;q='),
  'accept-language': anyOf('ja', 'en;q=0', '*', ';;,q=', 'ja;q=1.5,en', 'x'.repeat(2_000), 'ja-'.repeat(500)),
  'accept-encoding': anyOf('gzip', 'br', 'identity;q=0', '*;q=0', 'zstd', 'deflate', 'gzip;q=1e9', 'br,gzip,'),
  authorization: anyOf(
    ...[
      'Bearer',
      'Bearer ',
      'bearer x',
      `Bearer ${'x'.repeat(4_000)}`,
      'Basic Og==',
      'Basic !!',
      'Basic eA==',
      'Digest x',
    ],
    ...['Bearer a b', 'Bearer \u00ff', 'Basic ' + Buffer.from('a:b\0c').toString('base64')],
  ),
  cookie: anyOf(
    ...[
      'session=',
      `session=${'A'.repeat(43)}`,
      `__Host-session=${'A'.repeat(43)}`,
      'session="x"; session=y',
      '=;=;',
      'language=ja',
    ],
    ...['language=__proto__', '__proto__=1; constructor=2', '%zz=%zz', 'a=1;'.repeat(800), 'language=%00'],
  ),
  'if-none-match': anyOf('*', '"x"', 'W/"x"', '"', ','.repeat(1_000), 'W/'),
  'if-range': anyOf('"x"', 'Thu, 01 Jan 1970 00:00:00 GMT', 'x'),
  range: anyOf(
    'bytes=0-',
    'bytes=-1',
    'bytes=0-0,2-3',
    'bytes=9-1',
    `bytes=${'0-,'.repeat(900)}`,
    'bytes=1e3-',
    'lines=1-2',
  ),
  'content-encoding': anyOf('gzip', 'br', 'deflate', 'identity', 'identity, gzip', 'x', ''),
  'content-language': anyOf('en'),
  expect: anyOf('100-continue', '100-Continue, x', 'wonders'),
  'x-forwarded-for': anyOf('1.2.3.4', '::1', '1.2.3.4, 5.6.7.8', 'unknown', '[::1]:80', `${'1.2.3.4,'.repeat(300)}1`),
  'x-forwarded-host': fc.constant(canaries.host),
  'x-forwarded-proto': anyOf('https', 'javascript', 'http,https'),
  forwarded: fc.constant(`for=1.2.3.4;host=${canaries.host};proto=https`),
  'x-original-url': anyOf('/account', '/api/v1/user'),
  'x-http-method-override': anyOf('DELETE'),
  'x-request-id': anyOf('abc', 'a b', 'x'.repeat(129), '"', '<script>', '../..', 'a,b', ''),
  'idempotency-key': anyOf('', ' ', '\u00e9', 'x'.repeat(255), 'x'.repeat(256), '\t', 'same', 'same, same'),
  origin: anyOf('https://shop.example', 'null', 'x'),
  'access-control-request-method': anyOf('POST', 'x'),
  referer: anyOf(`https://${canaries.host}/`, 'x'),
  traceparent: anyOf('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-0-0-0', 'x'),
  'user-agent': anyOf('', 'x'.repeat(5_000), '\u001b[31m'),
  purpose: anyOf('prefetch'),
  upgrade: anyOf('websocket', 'h2c', 'x'),
  te: anyOf('trailers', 'x'),
  via: anyOf('1.1 x'),
  x: anyOf('y'),
  'x-long': fc.integer({ min: 1, max: 12_000 }).map((length) => 'x'.repeat(length)),
};

const headerNames = Object.keys(headerValues);

/** Up to three headers, some of them repeated. */
export const unusualHeaders: fc.Arbitrary<[string, string][]> = fc.array(
  fc
    .constantFrom(...headerNames)
    .chain((name) => headerValues[name]!.map((value): [string, string] => [name, removeInvalidCharacters(value)])),
  { maxLength: 3 },
);

/** Content types of JSON and similar ones. */
export const jsonTypes = fc.oneof(
  { arbitrary: fc.constant('application/json'), weight: 12 },
  fc.constantFrom(
    ...['application/json; charset=utf-8', 'application/json;charset=utf-16', 'APPLICATION/JSON', 'application/json;;'],
    ...[
      'application/json; charset="x',
      'application/problem+json',
      'text/plain',
      'multipart/form-data',
      'x',
      '',
      'a/b/c',
    ],
    ...['application/jsonx', 'application/x-www-form-urlencoded', 'application/json, text/plain', '*/*', '\u00ff/x'],
  ),
);

/** Content types of forms and similar ones. */
export const formTypes = fc.oneof(
  { arbitrary: fc.constant('application/x-www-form-urlencoded'), weight: 12 },
  fc.constantFrom(
    ...['application/x-www-form-urlencoded; charset=utf-16', 'APPLICATION/X-WWW-FORM-URLENCODED', 'application/json'],
    ...['multipart/form-data', 'multipart/form-data; boundary=x', 'multipart/form-data; boundary=', 'text/plain', ''],
  ),
);
