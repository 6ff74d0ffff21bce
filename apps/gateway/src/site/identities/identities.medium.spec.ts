import { problems, type ProblemCode } from '#contracts';
import { DomainError } from '#kernel';
import { type Browser, browse } from '../../testing/browse.js';
import { GatewayStack } from '../../testing/gateway-stack.js';

let stack: GatewayStack;
let browser: Browser;
/** Recorded calls of the accounts service. */
let calls: { name: string; payload: Record<string, unknown> }[];
let hasPassword: boolean;
let isRecent: boolean;
let finished: object | ProblemCode;
let signedUp: object | ProblemCode;
let began: object | ProblemCode;
let identities: object[];

const session = 's'.repeat(43);
const newSession = 'f'.repeat(43);
const address = 'https://id.example.com/auth?state=a&nonce=b';
const identity = (id: number, provider = 'example') => ({ id, provider, label: 'Example', nickname: `hana${id}` });
const visitor = { address: expect.any(String), userAgent: expect.any(String), language: 'en' };

/** Records the call, then returns the reply or throws the problem. */
const recording = (name: string, reply: () => object | string | null) => (payload: Record<string, unknown>) => {
  calls.push({ name, payload });
  const result = reply();
  if (typeof result === 'string') throw new DomainError(problems[result as ProblemCode], 'No.');
  return result;
};
const lastPayload = (name: string) => calls.findLast((it) => it.name === name)?.payload;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'sessions.show': (it: { session: string }) => {
      const user = { id: 1, name: 'hanako', displayName: null, email: 'hanako@example.com', hasPassword, isRecent };
      return it.session === session ? { active: true, user } : { active: false };
    },
    'identities.providers': () => ({
      providers: [
        { name: 'example', label: 'Example' },
        { name: 'other', label: 'Ötherñ & Co' },
      ],
    }),
    'identities.begin': recording('begin', () => began),
    'identities.finish': recording('finish', () => finished),
    'identities.sign-up': recording('sign-up', () => signedUp),
    'users.check-sign-up': recording('check-sign-up', () => 'user.name-taken'),
    'sessions.close': recording('close', () => null),
    'identities.list': () => ({ identities }),
    'identities.unlink': recording('unlink', () => (identities.length > 1 ? null : 'identity.last')),
  });
  // The base address has a path, which the proxy strips
  browser = browse(await stack.gateway({ BASE_URL: 'https://shop.example.com/base' }));
});
afterAll(() => stack.close());
beforeEach(() => {
  browser.clearCookies();
  calls = [];
  [hasPassword, isRecent] = [false, true];
  began = { url: address };
  finished = { outcome: 'signed-in', session: newSession, returnTo: '/account?a=1' };
  signedUp = { session: newSession, returnTo: '' };
  identities = [identity(1), identity(2, 'other')];
});

/** Opens the sign-in page and submits a provider button. */
async function begin(form: Record<string, string> = {}, provider = 'example') {
  const { csrf } = await browser.open('/sign-in');
  return browser.send(`/sign-in/with/${provider}`, { csrf, ...form });
}
const callback = '/sign-in/with/example/callback';

it('an expired sign-up form of a provider leads to the sign-up page with its text', async () => {
  const form = { csrf: 'x', ticket: 't'.repeat(43), name: 'hana', email: 'hana@example.com' };
  const expired = await browser.send('/sign-up/with/example', form, { 'sec-fetch-site': 'same-origin' });
  expect([expired.status, expired.headers.get('location'), calls]).toEqual([303, '/base/sign-up', []]);
  const { html } = await browser.open('/sign-up');
  for (const text of ['value="hana"', 'value="hana@example.com"', 'had expired', 'action="/base/sign-in/with/example"'])
    expect(html).toContain(text);
  expect(html).not.toContain(form.ticket);
});

describe('sign-in through a provider', () => {
  it('starts with a button on the sign-in and sign-up pages, which passes the return path on', async () => {
    for (const page of ['/sign-in', '/sign-up']) {
      const { html } = await browser.open(`${page}?to=/oauth/authorize%3Fa=1`);
      expect(html).toContain('action="/base/sign-in/with/example"');
      expect(html).toContain('Sign in with Ötherñ &amp; Co');
      expect(html.match(/name="to" value="\/oauth\/authorize\?a=1"/g)).toHaveLength(3);
    }
  });

  it('passes no return path on if no page asked for the sign-in, and then leads to the account page', async () => {
    for (const page of ['/sign-in', '/sign-up'])
      expect((await browser.open(page)).html.match(/name="to" value=""/g)).toHaveLength(3);
    await begin({ to: '' });
    expect(lastPayload('begin')).toMatchObject({ returnTo: '' });
    finished = { outcome: 'signed-in', session: newSession, returnTo: '' };
    expect((await browser.open(callback)).headers.get('location')).toBe('/base/account');
  });

  it('redirects to the provider by a page, bound to the session cookie', async () => {
    const { status, html, headers } = await begin({ to: '/account/email' });
    expect(status).toBe(200);
    expect(html).toContain('content="0;url=https://id.example.com/auth?state=a&amp;nonce=b"');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(lastPayload('begin')).toEqual({
      provider: 'example',
      browserToken: browser.cookie(),
      userId: null,
      returnTo: '/account/email',
      visitor: expect.objectContaining({ address: '127.0.0.1' }),
    });
  });

  it('passes the signed-in user on, to link the identity', async () => {
    browser.setSession(session);
    const { csrf } = await browser.open('/account/identities');
    await browser.send('/sign-in/with/example', { csrf, to: '/account/identities' });
    expect(lastPayload('begin')).toEqual({
      provider: 'example',
      browserToken: session,
      userId: 1,
      returnTo: '/account/identities',
      visitor: expect.objectContaining({ address: '127.0.0.1' }),
    });
  });

  it('rejects a form without a CSRF token (link CSRF), and GET', async () => {
    browser.setSession(session);
    expect((await browser.send('/sign-in/with/example', {})).status).toBe(403);
    expect((await browser.send('/sign-in/with/example', { csrf: 'x'.repeat(43) })).status).toBe(403);
    expect((await browser.open('/sign-in/with/example')).status).not.toBe(200);
    expect(calls).toEqual([]);
  });

  it.each(['https://evil.example.com/', '//evil.example.com/', '/\\evil.example.com', 'javascript:alert(1)'])(
    'never returns to another site: %s',
    async (to) => {
      await begin({ to });
      expect(lastPayload('begin')).toMatchObject({ returnTo: '' });
      finished = { outcome: 'signed-in', session: newSession, returnTo: to };
      expect((await browser.open(callback)).headers.get('location')).toBe('/base/account');
    },
  );

  it('shows an error page in both languages if the provider does not respond', async () => {
    began = 'identity.provider-away';
    const { status, html } = await begin();
    expect([status, html.includes('The other service is not responding')]).toEqual([503, true]);
    expect(html).toContain('href="/base/sign-in"');
    const { csrf } = await browser.open('/sign-in');
    const japanese = await browser.send('/sign-in/with/example', { csrf }, { 'accept-language': 'ja' });
    expect(japanese.html).toContain('連携先のサービスが応答しません');
  });

  it('shows an error page after too many attempts', async () => {
    began = 'sign-in.too-many';
    const { status, html } = await begin();
    expect([status, html.includes('Too many sign-ins were started from your network')]).toEqual([429, true]);
    expect(html).toContain('href="/base/sign-in"');
  });

  it.each([false, true])(
    'does not link an identity for a user whose sign-in is old (with a password: %s)',
    async (withPassword) => {
      [hasPassword, isRecent] = [withPassword, false];
      browser.setSession(session);
      const { csrf } = await browser.open('/account/identities');
      const { status, html } = await browser.send('/sign-in/with/example', { csrf });
      expect([status, html.includes('You signed in more than 10 minutes ago')]).toEqual([422, true]);
      expect(lastPayload('begin')).toBeUndefined();
    },
  );

  it('returns 404 for an unknown provider', async () => {
    began = 'identity.provider-unknown';
    expect((await begin({}, 'unknown')).status).toBe(404);
  });
});

describe('callback of a provider', () => {
  it('signs in with a new session cookie and redirects to the return path', async () => {
    await browser.open('/sign-in');
    const before = browser.cookie();
    const { status, headers } = await browser.open(`${callback}?code=c&state=a&iss=https%3A%2F%2Fid.example.com`);
    expect([status, headers.get('location')]).toEqual([303, '/base/account?a=1']);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(browser.cookie()).toBe(newSession);
    const parameters = { code: 'c', state: 'a', iss: 'https://id.example.com' };
    expect(lastPayload('finish')).toEqual({ provider: 'example', browserToken: before, parameters, visitor });
  });

  it('closes the session of a user who signs in as another user', async () => {
    browser.setSession(session);
    await browser.open(`${callback}?code=c&state=a`);
    expect([browser.cookie(), lastPayload('close')]).toEqual([newSession, { session }]);
    browser.setSession(session);
    const { csrf } = await browser.open('/account');
    calls = [];
    const form = { csrf, ticket: 't'.repeat(43), name: 'hanako', email: 'hanako@example.com' };
    await browser.send('/sign-up/with/example', form);
    expect([browser.cookie(), lastPayload('close')]).toEqual([newSession, { session }]);
  });

  it('redirects to the authorization endpoint by a page, which form-action cannot block', async () => {
    finished = { outcome: 'signed-in', session: newSession, returnTo: '/oauth/authorize?client_id=1' };
    const { status, html } = await browser.open(`${callback}?code=c&state=a`);
    expect([status, html.includes('url=/base/oauth/authorize?client_id=1')]).toEqual([200, true]);
  });

  it('keeps the session of a user who has linked an identity', async () => {
    browser.setSession(session);
    finished = { outcome: 'linked', returnTo: '/account/identities' };
    const { headers } = await browser.open(`${callback}?code=c&state=a`);
    expect([headers.get('location'), browser.cookie()]).toEqual(['/base/account/identities', session]);
  });

  it.each<[ProblemCode, number, string]>([
    ['identity.refused', 422, 'did not confirm your identity'],
    ['identity.expired', 422, 'The sign-in has expired'],
    ['identity.taken', 409, 'This account is linked to another user'],
    ['identity.provider-away', 503, 'is not responding'],
  ])('shows an error page for %s', async (code, expected, text) => {
    finished = code;
    const { status, html } = await browser.open(`${callback}?error=access_denied&state=a`);
    expect([status, html.includes(text)]).toEqual([expected, true]);
    expect(html).not.toContain('access_denied');
    browser.setSession(session);
    expect((await browser.open(callback)).html).toContain('href="/base/account/identities"');
  });

  it('rejects a repeated parameter', async () => {
    const { status } = await browser.open(`${callback}?code=c&code=d&state=a`);
    expect([status, lastPayload('finish')]).toEqual([422, undefined]);
  });
});

describe('sign-up through a provider', () => {
  const ticket = 't'.repeat(43);

  beforeEach(() => {
    const suggestion = { name: 'hana"><b>', email: 'hana@example.com' };
    finished = { outcome: 'new', ticket, label: 'Example', suggestion };
  });

  it('shows a form with the values of the provider, and the ticket in no address', async () => {
    await browser.open('/sign-in');
    const { status, html } = await browser.open(`${callback}?code=c&state=a`);
    expect(status).toBe(200);
    expect(html).toContain(`name="ticket" value="${ticket}"`);
    expect(html).toContain('value="hana&quot;&gt;&lt;b&gt;"');
    expect(html).toContain('value="hana@example.com"');
    expect(html).toContain('action="/base/sign-up/with/example"');
    expect(html.match(new RegExp(`(?:href|action)="[^"]*(?:${ticket}|code=)`))).toBeNull();
  });

  it('signs the new user in and leads to the upload form without a return path', async () => {
    const { csrf } = await browser.open(`${callback}?code=c&state=a`);
    const sessionId = browser.cookie();
    const form = { csrf, ticket, name: ' hanako ', email: 'hanako@example.com' };
    const { status, headers } = await browser.send('/sign-up/with/example', form);
    expect([status, headers.get('location'), browser.cookie()]).toEqual([303, '/base/materials/new', newSession]);
    expect(lastPayload('sign-up')).toEqual({
      ticket,
      browserToken: sessionId,
      name: 'hanako',
      email: 'hanako@example.com',
      visitor,
    });
  });

  it('shows the errors beside the fields and keeps the ticket', async () => {
    const { csrf } = await browser.open(`${callback}?code=c&state=a`);
    const form = { csrf, ticket, name: 'taro', email: 'hanako@example.com' };
    signedUp = 'user.name-taken';
    const taken = await browser.send('/sign-up/with/other', form);
    expect([taken.status, taken.html.includes('id="name-error"')]).toEqual([409, true]);
    for (const part of [ticket, 'value="taro"', 'Ötherñ &amp; Co']) expect(taken.html).toContain(part);
    const wrong = await browser.send('/sign-up/with/example', { ...form, name: '花子', email: 'nowhere' });
    for (const field of ['name', 'email']) expect(wrong.html).toContain(`id="${field}-error"`);
    const both = await browser.send('/sign-up/with/example', { ...form, email: 'nowhere' });
    for (const field of ['name', 'email']) expect(both.html).toContain(`id="${field}-error"`);
    expect(lastPayload('check-sign-up')).toEqual({ name: 'taro', visitor });
    signedUp = 'identity.expired';
    expect((await browser.send('/sign-up/with/example', form)).html).toContain('has expired or was already submitted');
  });

  it('rejects a form without a CSRF token, and redirects GET to the sign-up page', async () => {
    const form = { ticket, name: 'hanako', email: 'hanako@example.com' };
    expect((await browser.send('/sign-up/with/example', form)).status).toBe(403);
    expect(lastPayload('sign-up')).toBeUndefined();
    expect((await browser.open('/sign-up/with/example')).headers.get('location')).toBe('/base/sign-up');
  });
});

describe('linked services', () => {
  const open = () => {
    browser.setSession(session);
    return browser.open('/account/identities');
  };

  it('can be unlinked, each by a button labelled with the service', async () => {
    const { html, csrf } = await open();
    expect(html).toContain('Example (hana1)');
    expect(html).toContain('aria-labelledby="unlink-2 identity-2"');
    const done = await browser.send('/account/identities/2/unlink', { csrf });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/base/account/identities']);
    expect(lastPayload('unlink')).toEqual({ userId: 1, identityId: 2 });
  });

  it('can be unlinked only after a recent sign-in, even with a password', async () => {
    [hasPassword, isRecent] = [true, false];
    const { csrf } = await open();
    const { status, html } = await browser.send('/account/identities/2/unlink', { csrf });
    expect([status, html.includes('You signed in more than 10 minutes ago')]).toEqual([422, true]);
    expect(lastPayload('unlink')).toBeUndefined();
  });

  it('have no button for the only way to sign in, and offer the other providers', async () => {
    identities = [identity(1)];
    const { html, csrf } = await open();
    expect(html).not.toContain('/1/unlink');
    expect(html).toContain('This is your only way to sign in');
    expect(html).toContain('href="/base/account/password"');
    expect(html).toContain('Link Ötherñ &amp; Co');
    expect(html).not.toContain('Link Example');
    const rejected = await browser.send('/account/identities/1/unlink', { csrf });
    expect([rejected.status, rejected.html.includes('role="alert"')]).toEqual([422, true]);
    hasPassword = true;
    expect((await open()).html).toContain('/base/account/identities/1/unlink');
  });

  it('ignore an identity of a removed provider', async () => {
    identities = [identity(1), identity(2, 'removed')];
    const { html } = await open();
    expect(html).not.toContain('/1/unlink');
    expect(html).toContain('/2/unlink');
  });

  it('require a sign-in and a CSRF token', async () => {
    const { headers } = await browser.open('/account/identities');
    expect(headers.get('location')).toBe('/base/sign-in?to=%2Faccount%2Fidentities');
    browser.setSession(session);
    expect((await browser.send('/account/identities/1/unlink', {})).status).toBe(403);
    expect(lastPayload('unlink')).toBeUndefined();
  });
});
