import { problems, type ProblemCode } from '#contracts';
import { DomainError } from '#kernel';
import { type Browser, browse } from '../../testing/browse.js';
import { GatewayStack } from '../../testing/gateway-stack.js';

let stack: GatewayStack;
let browser: Browser;
/** What accounts was asked, by message. */
let asked: { name: string; payload: Record<string, unknown> }[];
let hasPassword: boolean;
let isRecent: boolean;
let finished: object | ProblemCode;
let signedUp: object | ProblemCode;
let began: object | ProblemCode;
let identities: object[];

const session = 's'.repeat(43);
const fresh = 'f'.repeat(43);
const address = 'https://id.example.com/auth?state=a&nonce=b';
const identity = (id: number, provider = 'example') => ({ id, provider, label: 'Example', nickname: `hana${id}` });
const visitor = { address: expect.any(String), userAgent: expect.any(String) };

/** Remembers what it was asked, and gives or refuses. */
const answering = (name: string, answer: () => object | string | null) => (payload: Record<string, unknown>) => {
  asked.push({ name, payload });
  const it = answer();
  if (typeof it === 'string') throw new DomainError(problems[it as ProblemCode], 'No.');
  return it;
};
const last = (name: string) => asked.findLast((it) => it.name === name)?.payload;

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
    'identities.begin': answering('begin', () => began),
    'identities.finish': answering('finish', () => finished),
    'identities.sign-up': answering('sign-up', () => signedUp),
    'sessions.close': answering('close', () => null),
    'identities.list': () => ({ identities }),
    'identities.unlink': answering('unlink', () => (identities.length > 1 ? null : 'identity.last')),
  });
  // The site lives below a path, which the proxy in front of it takes away
  browser = browse(await stack.gateway({ BASE_URL: 'https://shop.example.com/base' }));
});
afterAll(() => stack.close());
beforeEach(() => {
  browser.forget();
  asked = [];
  [hasPassword, isRecent] = [false, true];
  began = { url: address };
  finished = { outcome: 'signed-in', session: fresh, returnTo: '/account?a=1' };
  signedUp = { session: fresh, returnTo: '/account' };
  identities = [identity(1), identity(2, 'other')];
});

/** Opens a page with a form, and presses a button of it. */
async function begin(form: Record<string, string> = {}, provider = 'example') {
  const { csrf } = await browser.open('/sign-in');
  return browser.send(`/sign-in/with/${provider}`, { csrf, ...form });
}
const callback = '/sign-in/with/example/callback';

describe('the way to a provider', () => {
  it('begins with a button on the pages to sign in and up, which keeps where one wants to go', async () => {
    for (const page of ['/sign-in', '/sign-up']) {
      const { html } = await browser.open(`${page}?to=/oauth/authorize%3Fa=1`);
      expect(html).toContain('action="/base/sign-in/with/example"');
      expect(html).toContain('Sign in with Ötherñ &amp; Co');
      expect(html.match(/name="to" value="\/oauth\/authorize\?a=1"/g)).toHaveLength(3);
    }
  });

  it('leads there by a page, bound to the browser that goes', async () => {
    const { status, html, headers } = await begin({ to: '/account/email' });
    expect(status).toBe(200);
    expect(html).toContain('content="0;url=https://id.example.com/auth?state=a&amp;nonce=b"');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(last('begin')).toEqual({
      provider: 'example',
      visit: browser.cookie(),
      userId: null,
      returnTo: '/account/email',
      visitor: expect.objectContaining({ address: '127.0.0.1' }),
    });
  });

  it('is for the user who is signed in, to link it', async () => {
    browser.remember(session);
    const { csrf } = await browser.open('/account/identities');
    await browser.send('/sign-in/with/example', { csrf, to: '/account/identities' });
    expect(last('begin')).toEqual({
      provider: 'example',
      visit: session,
      userId: 1,
      returnTo: '/account/identities',
      visitor: expect.objectContaining({ address: '127.0.0.1' }),
    });
  });

  it('does not begin with a form that is not ours (link CSRF), nor by opening an address', async () => {
    browser.remember(session);
    expect((await browser.send('/sign-in/with/example', {})).status).toBe(403);
    expect((await browser.send('/sign-in/with/example', { csrf: 'x'.repeat(43) })).status).toBe(403);
    expect((await browser.open('/sign-in/with/example')).status).not.toBe(200);
    expect(asked).toEqual([]);
  });

  it.each(['https://evil.example.com/', '//evil.example.com/', '/\\evil.example.com', 'javascript:alert(1)'])(
    'never comes back at another site: %s',
    async (to) => {
      await begin({ to });
      expect(last('begin')).toMatchObject({ returnTo: '/account' });
      finished = { outcome: 'signed-in', session: fresh, returnTo: to };
      expect((await browser.open(callback)).headers.get('location')).toBe('/base/account');
    },
  );

  it('is said to be closed when the provider does not answer, in both languages, with the way on', async () => {
    began = 'identity.provider-away';
    const { status, html } = await begin();
    expect([status, html.includes('The other service does not answer')]).toEqual([503, true]);
    expect(html).toContain('href="/base/sign-in"');
    const { csrf } = await browser.open('/sign-in');
    const japanese = await browser.send('/sign-in/with/example', { csrf }, { 'accept-language': 'ja' });
    expect(japanese.html).toContain('連携先のサービスが応答しません');
  });

  it('is said to be tried too often from here, with the way on', async () => {
    began = 'sign-in.too-many';
    const { status, html } = await begin();
    expect([status, html.includes('Too many sign-ins were begun from here')]).toEqual([429, true]);
    expect(html).toContain('href="/base/sign-in"');
  });

  it.each([false, true])(
    'is closed to a member whose sign-in is old, who would link an identity (with a password: %s)',
    async (withPassword) => {
      [hasPassword, isRecent] = [withPassword, false];
      browser.remember(session);
      const { csrf } = await browser.open('/account/identities');
      const { status, html } = await browser.send('/sign-in/with/example', { csrf });
      expect([status, html.includes('Your sign-in was too long ago')]).toEqual([422, true]);
      expect(last('begin')).toBeUndefined();
    },
  );

  it('is nowhere when there is no such provider', async () => {
    began = 'identity.provider-unknown';
    expect((await begin({}, 'nobody')).status).toBe(404);
  });
});

describe('the way back from a provider', () => {
  it('signs in with another value of the cookie, and goes on', async () => {
    await browser.open('/sign-in');
    const before = browser.cookie();
    const { status, headers } = await browser.open(`${callback}?code=c&state=a&iss=https%3A%2F%2Fid.example.com`);
    expect([status, headers.get('location')]).toEqual([303, '/base/account?a=1']);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(browser.cookie()).toBe(fresh);
    const parameters = { code: 'c', state: 'a', iss: 'https://id.example.com' };
    expect(last('finish')).toEqual({ provider: 'example', visit: before, parameters, visitor });
  });

  it('ends the session of the member who signs in as somebody else', async () => {
    browser.remember(session);
    await browser.open(`${callback}?code=c&state=a`);
    expect([browser.cookie(), last('close')]).toEqual([fresh, { session }]);
    browser.remember(session);
    const { csrf } = await browser.open('/account');
    asked = [];
    const form = { csrf, ticket: 't'.repeat(43), name: 'hanako', email: 'hanako@example.com' };
    await browser.send('/sign-up/with/example', form);
    expect([browser.cookie(), last('close')]).toEqual([fresh, { session }]);
  });

  it('leads on to an application by a page, whose site no form may lead to', async () => {
    finished = { outcome: 'signed-in', session: fresh, returnTo: '/oauth/authorize?client_id=1' };
    const { status, html } = await browser.open(`${callback}?code=c&state=a`);
    expect([status, html.includes('url=/base/oauth/authorize?client_id=1')]).toEqual([200, true]);
  });

  it('leaves a member who has linked something signed in as before', async () => {
    browser.remember(session);
    finished = { outcome: 'linked', returnTo: '/account/identities' };
    const { headers } = await browser.open(`${callback}?code=c&state=a`);
    expect([headers.get('location'), browser.cookie()]).toEqual(['/base/account/identities', session]);
  });

  it.each<[ProblemCode, number, string]>([
    ['identity.refused', 422, 'did not confirm who you are'],
    ['identity.expired', 422, 'That took too long'],
    ['identity.taken', 409, 'This account belongs to another user here'],
    ['identity.provider-away', 503, 'does not answer'],
  ])('tells a person of %s, and what to do', async (code, expected, words) => {
    finished = code;
    const { status, html } = await browser.open(`${callback}?error=access_denied&state=a`);
    expect([status, html.includes(words)]).toEqual([expected, true]);
    expect(html).not.toContain('access_denied');
    browser.remember(session);
    expect((await browser.open(callback)).html).toContain('href="/base/account/identities"');
  });

  it('is refused when a parameter is there twice', async () => {
    const { status } = await browser.open(`${callback}?code=c&code=d&state=a`);
    expect([status, last('finish')]).toEqual([422, undefined]);
  });
});

describe('a newcomer', () => {
  const ticket = 't'.repeat(43);

  beforeEach(() => {
    const suggestion = { name: 'hana"><b>', email: 'hana@example.com' };
    finished = { outcome: 'new', ticket, label: 'Example', suggestion };
  });

  it('is asked for a name, with what the provider knows filled in, and the ticket in no address', async () => {
    await browser.open('/sign-in');
    const { status, html } = await browser.open(`${callback}?code=c&state=a`);
    expect(status).toBe(200);
    expect(html).toContain(`name="ticket" value="${ticket}"`);
    expect(html).toContain('value="hana&quot;&gt;&lt;b&gt;"');
    expect(html).toContain('value="hana@example.com"');
    expect(html).toContain('action="/base/sign-up/with/example"');
    expect(html.match(new RegExp(`(?:href|action)="[^"]*(?:${ticket}|code=)`))).toBeNull();
  });

  it('is signed in after sending the form', async () => {
    const { csrf } = await browser.open(`${callback}?code=c&state=a`);
    const visit = browser.cookie();
    const form = { csrf, ticket, name: ' hanako ', email: 'hanako@example.com' };
    const { status, headers } = await browser.send('/sign-up/with/example', form);
    expect([status, headers.get('location'), browser.cookie()]).toEqual([303, '/base/account', fresh]);
    expect(last('sign-up')).toEqual({ ticket, visit, name: 'hanako', email: 'hanako@example.com', visitor });
  });

  it('gets the form back with what is wrong beside its field, and keeps the ticket', async () => {
    const { csrf } = await browser.open(`${callback}?code=c&state=a`);
    const form = { csrf, ticket, name: 'taro', email: 'hanako@example.com' };
    signedUp = 'user.name-taken';
    const taken = await browser.send('/sign-up/with/other', form);
    expect([taken.status, taken.html.includes('id="name-error"')]).toEqual([409, true]);
    for (const part of [ticket, 'value="taro"', 'Ötherñ &amp; Co']) expect(taken.html).toContain(part);
    const wrong = await browser.send('/sign-up/with/example', { ...form, name: '花子', email: 'nowhere' });
    for (const field of ['name', 'email']) expect(wrong.html).toContain(`id="${field}-error"`);
    signedUp = 'identity.expired';
    expect((await browser.send('/sign-up/with/example', form)).html).toContain('open too long');
  });

  it('cannot be made by a form that is not ours, nor open the form again', async () => {
    const form = { ticket, name: 'hanako', email: 'hanako@example.com' };
    expect((await browser.send('/sign-up/with/example', form)).status).toBe(403);
    expect(last('sign-up')).toBeUndefined();
    expect((await browser.open('/sign-up/with/example')).headers.get('location')).toBe('/base/sign-up');
  });
});

describe('the linked services of a member', () => {
  const open = () => {
    browser.remember(session);
    return browser.open('/account/identities');
  };

  it('can be unlinked, each by a button that says which', async () => {
    const { html, csrf } = await open();
    expect(html).toContain('Example (hana1)');
    expect(html).toContain('aria-labelledby="unlink-2 identity-2"');
    const done = await browser.send('/account/identities/2/unlink', { csrf });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/base/account/identities']);
    expect(last('unlink')).toEqual({ userId: 1, identityId: 2 });
  });

  it('can be unlinked with a recent sign-in only, whoever has a password too', async () => {
    [hasPassword, isRecent] = [true, false];
    const { csrf } = await open();
    const { status, html } = await browser.send('/account/identities/2/unlink', { csrf });
    expect([status, html.includes('Your sign-in is older than 10 minutes')]).toEqual([422, true]);
    expect(last('unlink')).toBeUndefined();
  });

  it('say why the only way to sign in has no button, and offer the others', async () => {
    identities = [identity(1)];
    const { html, csrf } = await open();
    expect(html).not.toContain('/1/unlink');
    expect(html).toContain('It is your only way to sign in');
    expect(html).toContain('href="/base/account/password"');
    expect(html).toContain('Link Ötherñ &amp; Co');
    expect(html).not.toContain('Link Example');
    const refused = await browser.send('/account/identities/1/unlink', { csrf });
    expect([refused.status, refused.html.includes('role="alert"')]).toEqual([422, true]);
    hasPassword = true;
    expect((await open()).html).toContain('/base/account/identities/1/unlink');
  });

  it('do not count one of a provider that is no longer there', async () => {
    identities = [identity(1), identity(2, 'gone')];
    const { html } = await open();
    expect(html).not.toContain('/1/unlink');
    expect(html).toContain('/2/unlink');
  });

  it('are for members, and change by our own forms only', async () => {
    const { headers } = await browser.open('/account/identities');
    expect(headers.get('location')).toBe('/base/sign-in?to=%2Faccount%2Fidentities');
    browser.remember(session);
    expect((await browser.send('/account/identities/1/unlink', {})).status).toBe(403);
    expect(last('unlink')).toBeUndefined();
  });
});
