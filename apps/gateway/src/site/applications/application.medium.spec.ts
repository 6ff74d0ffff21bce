import { type Application, type Consent, problems, redirectUriProblems } from '#contracts';
import { DomainError } from '#kernel';
import { consentTexts } from '../oauth/oauth.texts.js';
import { type Browser, browse } from '../../testing/browse.js';
import { GatewayStack } from '../../testing/gateway-stack.js';

let stack: GatewayStack;
let browser: Browser;
/** Recorded calls of the accounts service. */
let calls: { readonly name: string; readonly payload: object }[];
let applications: Application[];
let consents: Consent[];
let hasPassword: boolean;
let isRecent: boolean;

const session = 's'.repeat(43);
const hanako = { id: 1, name: 'hanako', displayName: '花子', email: 'hanako@example.com', hasPassword: true };
const password = 'correct horse';
const secret = 'a-client-secret-that-is-shown-only-once----';
const apiKey = 'the-personal-api-key-of-the-user-hanako----';
const book: Application = {
  id: 7,
  clientId: 'client-id-of-stamp-book-',
  name: 'Stamp <Book>',
  description: 'Collects "stamps".',
  homePage: 'https://stamps.example.com/',
  redirectUris: ['https://stamps.example.com/back', 'com.example.stamps:/back'],
  scopes: ['read', 'write'],
  namesIssuer: true,
  confidential: true,
  users: 1_234,
  createdAt: '2026-11-20T08:15:00.000Z',
};
const filled = { name: 'Stamp', description: '', homePage: '', redirectUris: 'https://a.example.com/cb' };

/** Opens a page and submits a form of it. */
async function submitFrom(page: string, to: string, form: Record<string, string> = {}) {
  const { csrf } = await browser.open(page);
  return browser.send(to, { csrf, ...form });
}
const idempotencyOfForm = {
  key: expect.stringMatching(/^form [\w.-]+ [0-9a-f]{16}$/) as string,
  fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
};
const callsOf = (name: string) => calls.filter((it) => it.name === name).map(({ payload }) => payload);
const idempotencyKeysOf = (name: string) => callsOf(name).map((it) => (it as { idempotency: object }).idempotency);

beforeAll(async () => {
  const record =
    <Payload extends object, Reply>(name: string, handle: (payload: Payload) => Reply) =>
    (payload: Payload): Reply => {
      calls.push({ name, payload });
      return handle(payload);
    };
  const owned = ({ ownerId, applicationId }: { ownerId: number; applicationId: number }): Application => {
    const found = applications.find(({ id }) => id === applicationId);
    if (found && ownerId === hanako.id) return found;
    throw new DomainError(problems['application.not-found'], 'No.');
  };
  const key = (request: { password: string | null }) => {
    if (request.password === 'too often') throw new DomainError(problems['sign-in.too-many'], 'Later.');
    if (request.password !== (hasPassword ? password : null)) throw new DomainError(problems['password.wrong'], 'No.');
    return { apiKey };
  };
  stack = await GatewayStack.start({
    'sessions.show': (it: { session: string }) =>
      it.session === session ? { active: true, user: { ...hanako, hasPassword, isRecent } } : { active: false },
    'applications.list': () => ({ applications }),
    'applications.get': owned,
    'applications.create': record('create', ({ redirectUris, confidential }: Application) => {
      const errors = redirectUris.flatMap((uri, index) =>
        uri.startsWith('http:') ? [{ path: `redirectUris.${index}`, message: redirectUriProblems.http }] : [],
      );
      if (errors.length > 0) throw new DomainError(problems['redirect-uri.invalid'], 'No.', errors);
      return { applicationId: 7, clientId: book.clientId, clientSecret: confidential ? secret : null };
    }),
    'applications.update': record('update', owned),
    'applications.renew-secret': record('renew', () => ({ clientSecret: secret })),
    'applications.delete': record('delete', () => null),
    'keys.show': record('keys.show', key),
    'keys.replace': record('keys.replace', key),
    'consents.list': () => ({ consents }),
    'consents.revoke': record('revoke', () => ({ revoked: true })),
  });
  browser = browse(await stack.gateway());
});
afterAll(() => stack.close());
beforeEach(() => {
  browser.clearCookies();
  browser.setSession(session);
  [calls, applications, consents, hasPassword, isRecent] = [[], [book], [], true, false];
});

it.each(['', '/new', '/7', '/7/secret', '/7/delete', '/key', '/key/replace'])(
  '/applications%s requires a sign-in, is never stored and is smaller than 60 KB',
  async (path) => {
    const page = await browser.open(`/applications${path}`);
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(page.html.length).toBeLessThan(60_000);
    browser.clearCookies();
    const anonymous = await browser.open(`/applications${path}`);
    expect(anonymous.headers.get('location')).toBe(`/sign-in?to=${encodeURIComponent(`/applications${path}`)}`);
  },
);

describe('list of applications', () => {
  it('shows each application with its number of users and escapes its name', async () => {
    const { html } = await browser.open('/applications');
    expect(html).toContain('href="/applications/7">Stamp &lt;Book&gt;</a>');
    expect(html).toContain('1,234 users');
  });

  it('is smaller than 60 KB with 100 of the longest names, and has a hint when it is empty', async () => {
    applications = Array.from({ length: 100 }, (_, id) => ({ ...book, id, name: '名'.repeat(100) }));
    expect(Buffer.byteLength((await browser.open('/applications')).html)).toBeLessThan(60_000);
    applications = [];
    expect((await browser.open('/applications')).html).toContain('You have not registered any applications yet.');
  });
});

describe('registration of an application', () => {
  it('shows the client secret in its response only', async () => {
    const form = { ...filled, kind: 'confidential', write: 'yes' };
    const done = await submitFrom('/applications/new', '/applications/new', form);
    expect([done.headers.get('location'), done.headers.get('cache-control')]).toEqual([null, 'no-store']);
    expect(done.html).toContain(`value="${secret}"`);
    expect(callsOf('create')).toEqual([
      {
        ownerId: 1,
        name: 'Stamp',
        description: '',
        homePage: null,
        confidential: true,
        redirectUris: ['https://a.example.com/cb'],
        scopes: ['read', 'write'],
        namesIssuer: false,
        idempotency: idempotencyOfForm,
      },
    ]);
    expect((await browser.open('/applications/7')).html).not.toContain(secret);
  });

  it('has the same idempotency key when its form is submitted twice, and another one after a change', async () => {
    const { csrf } = await browser.open('/applications/new');
    for (const name of ['Stamp', 'Stamp', 'Book'])
      await browser.send('/applications/new', { csrf, ...filled, name, kind: 'confidential' });
    const [first, second, third] = idempotencyKeysOf('create');
    expect(second).toEqual(first);
    expect(third).not.toEqual(first);
  });

  it('redirects to a public application, which has no secret', async () => {
    const done = await submitFrom('/applications/new', '/applications/new', { ...filled, kind: 'public' });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/applications/7?done=registered']);
    expect((await browser.open('/applications/7?done=registered')).html).toContain(
      'The application has been registered.',
    );
    expect((await browser.open('/applications/7?done=constructor')).html).not.toContain('role="status"');
  });

  it('shows the errors beside the fields and the submitted values', async () => {
    const form = { ...filled, name: ' ', homePage: 'nowhere', write: 'yes', redirectUris: '' };
    const rejected = await submitFrom('/applications/new', '/applications/new', form);
    expect([rejected.status, callsOf('create')]).toEqual([422, []]);
    for (const field of ['name', 'homePage', 'redirectUris', 'kind'])
      expect(rejected.html).toContain(`id="${field}-error"`);
    expect(rejected.html).toContain('value="nowhere"');
    expect(rejected.html).toMatch(/id="write"[^>]* checked/);
  });

  it('shows the invalid lines of the redirect URIs and the reasons in the language of the page', async () => {
    const redirectUris = 'https://a.example.com/cb\r\n\r\nhttp://b.example.com/<x>';
    const form = { ...filled, redirectUris, kind: 'public' };
    const rejected = await submitFrom('/applications/new', '/applications/new', form);
    expect(rejected.status).toBe(422);
    expect(rejected.html).toContain('Line 3: <code>http://b.example.com/&lt;x&gt;</code><br>Use https.');
    expect(rejected.html).toContain('aria-describedby="redirectUris-hint redirectUris-error"');
    await browser.open('/language/ja');
    const japanese = await submitFrom('/applications/new', '/applications/new', form);
    expect(japanese.html).toContain('3行目：<code>http://b.example.com/&lt;x&gt;</code><br>httpsを使ってください。');
  });
});

describe('page of an application', () => {
  it('shows the data of the application and a form with the current values', async () => {
    const { html } = await browser.open('/applications/7', { 'accept-language': 'ja' });
    expect(html).toContain('/<wbr>oauth/<wbr>authorize');
    for (const fact of [
      book.clientId,
      'https://shop.example.com/oauth/authorize',
      'https://shop.example.com/oauth/token',
      '<dd>1,234</dd>',
      '<time datetime="2026-11-20T08:15:00.000Z">2026年11月20日 8:15 UTC</time>',
      'https://stamps.example.com/back\ncom.example.stamps:/back</textarea>',
    ])
      expect(html.replaceAll('<wbr>', '')).toContain(fact);
    expect(html).toMatch(/id="namesIssuer"[^>]* checked/);
  });

  it('updates the application but not its kind', async () => {
    const done = await submitFrom('/applications/7', '/applications/7', { ...filled, kind: 'public' });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/applications/7?done=saved']);
    expect(callsOf('update')).toEqual([
      {
        ownerId: 1,
        applicationId: 7,
        name: 'Stamp',
        description: '',
        homePage: null,
        redirectUris: ['https://a.example.com/cb'],
        scopes: ['read'],
        namesIssuer: false,
      },
    ]);
  });

  it('returns 404 for an unknown application or one of another user', async () => {
    for (const path of ['8', '8/secret', '8/delete', 'x', '07', '-7', '7%20'])
      expect([path, (await browser.open(`/applications/${path}`)).status]).toEqual([path, 404]);
    for (const path of ['8', '8/secret', 'x/delete'])
      expect((await submitFrom('/applications', `/applications/${path}`, filled)).status).toBe(404);
    expect(calls).toEqual([]);
  });

  it('replaces the client secret of a confidential application after confirmation', async () => {
    const done = await submitFrom('/applications/7/secret', '/applications/7/secret');
    expect([done.status, done.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(done.html).toContain(`value="${secret}"`);
    applications = [{ ...book, confidential: false }];
    expect((await browser.open('/applications/7')).html).not.toContain('/applications/7/secret');
    expect((await submitFrom('/applications', '/applications/7/secret')).status).toBe(404);
    expect(callsOf('renew')).toEqual([{ ownerId: 1, applicationId: 7, idempotency: idempotencyOfForm }]);
  });

  it('replaces the client secret with the same idempotency key when the form is submitted twice', async () => {
    const { csrf } = await browser.open('/applications/7/secret');
    for (let n = 0; n < 2; n++) await browser.send('/applications/7/secret', { csrf });
    await submitFrom('/applications/7/secret', '/applications/7/secret');
    const [first, second, third] = idempotencyKeysOf('renew');
    expect(second).toEqual(first);
    expect(third).not.toEqual(first);
  });

  it('deletes the application after its name was typed', async () => {
    const path = '/applications/7/delete';
    for (const confirmation of ['', 'Stamp', 'stamp <book>'])
      expect((await submitFrom(path, path, { confirmation })).status).toBe(422);
    expect(callsOf('delete')).toEqual([]);
    const done = await submitFrom(path, path, { confirmation: ' Stamp  <Book> ' });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/applications?done=deleted']);
    const { csrf } = await browser.open('/applications');
    applications = [];
    const again = await browser.send(path, { csrf, confirmation: 'Stamp <Book>' });
    expect([again.status, again.headers.get('location')]).toEqual([303, '/applications?done=deleted']);
    expect(callsOf('delete')).toEqual([{ ownerId: 1, applicationId: 7 }]);
  });
});

describe('personal API key', () => {
  it('is in the page only after the form was submitted', async () => {
    for (const path of ['/applications', '/applications/key', '/applications/key/replace'])
      expect((await browser.open(path)).html).not.toContain(apiKey);
    expect(calls).toEqual([]);
    const shown = await submitFrom('/applications/key', '/applications/key', { password });
    expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(shown.html).toMatch(new RegExp(`<input[^>]* value="${apiKey}" readonly`));
    expect(callsOf('keys.show')).toMatchObject([{ userId: 1, password, visitor: { address: expect.any(String) } }]);
  });

  it.each(['/applications/key', '/applications/key/replace'])(
    'is not in the response of %s without the right password',
    async (path) => {
      expect((await browser.open(path)).html).toMatch(/<input id="password" name="password" type="password"/);
      for (const [form, status, text] of [
        [{}, 422, 'Enter your password.'],
        [{ password: '' }, 422, 'Enter your password.'],
        [{ password: 'battery staple' }, 422, 'Incorrect password. Try again.'],
        [{ password: 'too often' }, 429, 'Too many attempts.'],
      ] as const) {
        const rejected = await submitFrom(path, path, form);
        expect(rejected.status).toBe(status);
        expect(rejected.html).toContain(text);
        expect(rejected.html).not.toContain(apiKey);
      }
    },
  );

  it('requires no password from a user who signs in through a provider only', async () => {
    [hasPassword, isRecent] = [false, true];
    for (const path of ['/applications/key', '/applications/key/replace']) {
      expect((await browser.open(path)).html).not.toContain('name="password"');
      expect((await submitFrom(path, path)).html).toContain(`value="${apiKey}"`);
    }
  });

  it('is not shown to a user without a password whose sign-in is older than 10 minutes', async () => {
    hasPassword = false;
    for (const path of ['/applications/key', '/applications/key/replace']) {
      const { status, html } = await submitFrom(path, path);
      expect([status, html.includes('You signed in more than 10 minutes ago')]).toEqual([422, true]);
      expect(html).not.toContain(apiKey);
    }
    expect(calls).toEqual([]);
  });

  it('is replaced after confirmation, and the new key is shown', async () => {
    expect((await browser.open('/applications/key/replace')).html).toContain('the old key stops working immediately');
    const done = await submitFrom('/applications/key/replace', '/applications/key/replace', { password });
    expect(done.html).toContain(`value="${apiKey}"`);
    expect(callsOf('keys.replace')).toMatchObject([{ userId: 1, password, idempotency: idempotencyOfForm }]);
  });

  it('is replaced with the same idempotency key, independent of the password, when the form is submitted twice', async () => {
    const { csrf } = await browser.open('/applications/key/replace');
    for (const typed of [password, 'battery staple'])
      await browser.send('/applications/key/replace', { csrf, password: typed });
    await submitFrom('/applications/key/replace', '/applications/key/replace', { password });
    const [first, second, third] = idempotencyKeysOf('keys.replace');
    expect(second).toEqual(first);
    expect(third).not.toEqual(first);
  });

  it('is neither shown nor replaced without a CSRF token', async () => {
    for (const path of ['/applications/key', '/applications/key/replace', '/applications/7/secret']) {
      await browser.open('/applications');
      expect((await browser.send(path, {})).status).toBe(403);
    }
    expect(calls).toEqual([]);
  });
});

describe('applications with access', () => {
  it('are listed with their permissions, start of access and last use', async () => {
    consents = [
      {
        applicationId: 9,
        name: 'Old <one>',
        description: '',
        homePage: 'https://old.example.com/a?b=1&c',
        scopes: ['read', 'write'],
        since: '2026-01-02T03:04:00.000Z',
        lastUsedAt: null,
      },
    ];
    const { html } = await browser.open('/account/applications');
    for (const part of [
      'Old &lt;one&gt;',
      'href="https://old.example.com/a?b=1&amp;c" rel="noopener noreferrer nofollow">old.example.com</a>',
      consentTexts.en.scopes.write[0],
      '<time datetime="2026-01-02T03:04:00.000Z">2 January 2026 at 03:04 UTC</time>',
      '<dd>Never</dd>',
      'aria-label="Revoke access for Old &lt;one&gt;"',
    ])
      expect(html).toContain(part);
    const done = await submitFrom('/account/applications', '/account/applications/9/revoke');
    expect([done.status, done.headers.get('location')]).toEqual([303, '/account/applications?done=revoked']);
    expect(callsOf('revoke')).toEqual([{ userId: 1, applicationId: 9 }]);
    expect((await browser.open('/account/applications?done=revoked')).html).toContain('no longer has access');
  });

  it('has a hint when there is none, and requires a sign-in', async () => {
    expect((await browser.open('/account/applications')).html).toContain('No application has access to your account.');
    browser.clearCookies();
    expect((await browser.open('/account/applications')).headers.get('location')).toContain('/sign-in');
  });
});
