import fc from 'fast-check';
import { type FuzzRequest, unusualSegment } from './fuzz-request.js';
import { formTypes, unusualHeaders } from './headers.js';
import { unusualText, rarely } from './values.js';
import type { FuzzFixture } from './fuzz-fixture.js';

type Fields = Readonly<Record<string, fc.Arbitrary<string>>>;

interface PageForm {
  readonly path: string;
  readonly fields: Fields;
  /** True if the shop hashes a password for the form, which is expensive; sent less often. */
  readonly isCostly?: boolean;
}

const word = fc.stringMatching(/^[a-z]{3,12}$/);
const wordOrText = fc.oneof(word, unusualText);
const idOrText = fc.oneof(fc.nat().map(String), fc.constantFrom('0', '1', '1-1', '9'.repeat(20)), unusualText);
const emailOrText = fc.oneof(fc.emailAddress(), unusualText);
const password = fc.constantFrom(
  'a long password',
  'short',
  '12345678901',
  'x'.repeat(1_001),
  '\0',
  '\ud83d\ude00'.repeat(8),
);
const uriOrText = fc.oneof(
  fc.webUrl(),
  fc.constantFrom('javascript:alert(1)', 'com.example.app:/x', 'http://[::1]/', '\n\n'),
  unusualText,
);
const returnPath = fc.oneof(
  fc.constantFrom('/account', '//evil.example', '/\\evil.example', '/\t/evil.example', 'x:y'),
  unusualText,
);
const application = {
  name: wordOrText,
  description: wordOrText,
  homePage: uriOrText,
  redirectUris: uriOrText,
  write: wordOrText,
  namesIssuer: wordOrText,
};

const material = { title: wordOrText, description: wordOrText, price: wordOrText, publish: wordOrText };
const choice = { title: wordOrText, description: wordOrText, banner: uriOrText, secret: wordOrText };
const endpoint = { url: uriOrText, description: wordOrText };

/**
 * Forms of the site without files. Sign-out is not among them, because it would end the
 * session. The account is never deleted, because the required field `confirmation` is not sent.
 */
const forms: readonly PageForm[] = [
  { path: '/sign-in', fields: { login: wordOrText, password, to: returnPath }, isCostly: true },
  {
    path: '/sign-up',
    fields: { name: wordOrText, email: emailOrText, newPassword: password, to: returnPath },
    isCostly: true,
  },
  { path: '/account/email', fields: { email: emailOrText, password }, isCostly: true },
  { path: '/account/email/confirmation', fields: { token: wordOrText } },
  { path: '/account/email/confirmation/send', fields: {} },
  { path: '/account/recovery', fields: { email: emailOrText } },
  { path: '/account/recovery/password', fields: { token: wordOrText, newPassword: password, endAccess: wordOrText } },
  { path: '/account/password', fields: { password, newPassword: password }, isCostly: true },
  { path: '/account/delete', fields: { name: wordOrText, password }, isCostly: true },
  {
    path: '/account/profile',
    fields: { displayName: wordOrText, avatar: uriOrText, header: uriOrText, homePage: uriOrText, about: wordOrText },
  },
  { path: '/account/identities/1/unlink', fields: { to: returnPath } },
  { path: '/account/applications/1/revoke', fields: { to: returnPath } },
  { path: '/applications/new', fields: { ...application, kind: fc.constantFrom('confidential', 'public', 'x') } },
  { path: '/applications/1', fields: application },
  { path: '/applications/99/delete', fields: { name: wordOrText } },
  { path: '/applications/99/secret', fields: { name: wordOrText } },
  { path: '/materials/new/text', fields: { ...material, text: wordOrText }, isCostly: true },
  { path: '/materials/1/edit', fields: material },
  { path: '/materials/1/items/1', fields: { variant: idOrText, resizeMode: wordOrText, published: wordOrText } },
  { path: '/materials/1/publication', fields: { publish: idOrText, unpublish: idOrText } },
  { path: '/favorites', fields: { add: idOrText, remove: idOrText, to: returnPath } },
  { path: '/choices/new', fields: choice },
  { path: '/choices/1/edit', fields: choice },
  { path: '/choices/add', fields: { choice: idOrText, product: idOrText, variant: idOrText } },
  { path: '/choices/1/remove', fields: { entry: idOrText } },
  { path: '/choices/1/move-first', fields: { entry: idOrText } },
  { path: '/account/webhooks/new', fields: { ...endpoint, v1a: wordOrText } },
  { path: '/applications/1/webhooks/new', fields: endpoint },
  { path: '/account/webhooks/x/edit', fields: endpoint },
  { path: '/account/webhooks/x/replay', fields: { period: wordOrText } },
  { path: '/applications/key', fields: { password }, isCostly: true },
  { path: '/sign-in/with/x', fields: { to: returnPath } },
  { path: '/sign-up/with/x', fields: { ticket: wordOrText, name: wordOrText, email: emailOrText, to: returnPath } },
];

/** Paths of pages and other routes that are requested by GET. */
const pagePaths = [
  ...[
    '/',
    '/search',
    '/materials',
    '/materials/new',
    '/materials/1',
    '/choices',
    '/choices/new',
    '/choices/1',
    '/favorites',
    '/activities',
    '/demo',
    '/sign-in',
    '/sign-up',
    '/account',
    '/account/email',
    '/account/password',
    '/account/profile',
  ],
  ...[
    '/account/delete',
    '/account/deleted',
    '/account/webhooks',
    '/account/webhooks/new',
    '/account/webhooks/x',
    '/account/email/confirmation',
    '/account/recovery',
    '/account/recovery/password',
    '/account/identities',
    '/account/applications',
    '/applications',
    '/applications/new',
  ],
  ...[
    '/applications/1',
    '/applications/1/delete',
    '/applications/1/secret',
    '/applications/key',
    '/applications/key/replace',
  ],
  ...[
    '/language/ja',
    '/docs',
    '/docs/x',
    '/problems',
    '/problems/request.invalid',
    '/health/live',
    '/icons/t-shirt.svg',
  ],
  ...[
    '/sign-in/with/x/callback',
    '/sign-up/with/x',
    '/assets/x',
    '/.well-known/oauth-authorization-server',
    '/robots.txt',
  ],
  ...['/oembed', '/sitemap.xml', '/sitemap-1.xml', `/sitemap-${'9'.repeat(20)}.xml`, '/sitemap-%00.xml'],
];

/** Requests as browsers send them: for pages and with forms, with and without a session. */
export const pageRequests = (fixture: FuzzFixture): fc.Arbitrary<FuzzRequest> =>
  fc.oneof(
    { arbitrary: pageRequest(fixture), weight: 30 },
    ...forms
      .filter(({ isCostly }) => !(isCostly && fixture.isShared))
      .map((form) => ({ arbitrary: formRequest(form, fixture), weight: form.isCostly ? 1 : 3 })),
  );

const browserHeaders = (fixture: FuzzFixture): fc.Arbitrary<[string, string][]> => {
  const cookie = fc.constantFrom(
    fixture.cookie,
    fixture.cookie,
    fixture.cookie,
    `session=${'A'.repeat(43)}`,
    undefined,
  );
  // Sign-in attempts are limited per client address: each request has another address
  const address = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((parts) => `10.${parts.join('.')}`);
  return fc
    .tuple(cookie, address, fc.boolean(), unusualHeaders)
    .map(([session, from, wantsPage, odd]) => [
      ...(session === undefined ? [] : [['cookie', session] satisfies [string, string]]),
      ...(wantsPage ? [['accept', 'text/html'] satisfies [string, string]] : []),
      ['x-forwarded-for', from],
      ...odd,
    ]);
};

const unusualPairs = (keys: readonly string[]): fc.Arbitrary<[string, string][]> =>
  fc.array(fc.tuple(fc.constantFrom(...keys), fc.oneof(unusualText, returnPath, fc.nat(100).map(String))), {
    maxLength: 3,
  });

function pageRequest(fixture: FuzzFixture): fc.Arbitrary<FuzzRequest> {
  const { userName, ids } = fixture;
  const product = fc.constantFrom(...ids.materialId!).map((id) => `/${userName}/${id}/can-badge/standard/white`);
  const odd = fc.array(unusualSegment, { minLength: 1, maxLength: 5 }).map((parts) => `/${parts.join('/')}`);
  const keys = ['q', 'offset', 'limit', 'to', 'angle', 'done', 'state', 'code', 'error', '__proto__', 'item'];
  return fc.record({
    route: fc.constant('pages'),
    method: fc.constant('GET'),
    path: fc.oneof({ arbitrary: fc.constantFrom(...pagePaths), weight: 6 }, product, odd),
    query: unusualPairs([...keys, 'url', 'maxwidth', 'maxheight']),
    headers: browserHeaders(fixture),
  });
}

/** Serializes a form: URL-encoded, as multipart, with invalid escapes or in Latin-1. */
function formBytes(sent: readonly [string, string][], kind: string): Buffer {
  if (kind === 'multipart') {
    const parts = sent.map(
      ([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    return Buffer.from(`${parts.join('')}--x--\r\n`);
  }
  const text = new URLSearchParams(sent.map(([name, value]): [string, string] => [name, value])).toString();
  if (kind === 'odd escapes') return Buffer.from(`${text}&%&%zz=%ff&=&name=%00&${'x&'.repeat(500)}`);
  return kind === 'Latin-1' ? Buffer.from(`${text}&name=\u00ff\u00c0\u00af`, 'latin1') : Buffer.from(text);
}

export const formBodies = (fields: Fields, always: readonly [string, string][]): fc.Arbitrary<Buffer> => {
  const keys = [...Object.keys(fields), 'csrf', 'to', '__proto__', 'constructor', 'x'];
  const right = fc.record({ ...fields }).map((it) => Object.entries(it));
  const kind = fc.oneof(
    { arbitrary: fc.constant('plain'), weight: 12 },
    fc.constantFrom('multipart', 'odd escapes', 'Latin-1'),
  );
  return fc
    .tuple(right, unusualPairs(keys), kind, rarely(fc.constant(true), 8))
    .map(([own, odd, how, isStrange]) => formBytes([...(isStrange ? [] : always), ...own, ...odd], how));
};

const formRequest = ({ path, fields }: PageForm, fixture: FuzzFixture): fc.Arbitrary<FuzzRequest> =>
  fc.record({
    route: fc.constant(`form ${path}`),
    method: fc.constant('POST'),
    path: fc.constant(path),
    query: fc.constant([]),
    headers: fc
      .tuple(formTypes, browserHeaders(fixture))
      .map(([type, others]): [string, string][] => [['content-type', type], ...others]),
    body: formBodies(fields, [['csrf', fixture.csrf]]),
  });
