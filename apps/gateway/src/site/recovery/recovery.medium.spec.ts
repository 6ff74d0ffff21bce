import { problems, type SessionUser } from '#contracts';
import { DomainError } from '#kernel';
import { type Browser, browse } from '../../testing/browse.js';
import { GatewayStack } from '../../testing/gateway-stack.js';

let stack: GatewayStack;
let browser: Browser;

const [token, session] = ['t'.repeat(43), 's'.repeat(43)];
const email = 'hanako@example.com';
const newPassword = 'four words of mine';
const hanako: SessionUser = {
  id: 1,
  name: 'hanako',
  displayName: null,
  email,
  hasPassword: true,
  isRecent: true,
  emailConfirmed: false,
};

interface Payload {
  readonly email: string;
  readonly token: string;
  readonly session: string;
  readonly newPassword: string;
}
let enabled: boolean;
let user: SessionUser;
let calls: { readonly name: string; readonly payload: Payload }[];

const rejection = (code: keyof typeof problems) => new DomainError(problems[code], 'No.');
const record = (name: string, payload: Payload): null => {
  calls.push({ name, payload });
  return null;
};

/** Fake of the accounts service with one user and one valid link of each purpose. */
const accounts: Record<string, (payload: Payload) => unknown> = {
  'sessions.show': (it) => (it.session === session ? { active: true, user } : { active: false }),
  'identities.providers': () => ({ providers: [] }),
  'mail.show': () => ({ enabled }),
  'passwords.request-reset': (it) => {
    if (it.email === 'often@example.com') throw rejection('sign-in.too-many');
    return record('passwords.request-reset', it);
  },
  'passwords.show-reset': (it) => ({ userName: it.token === token ? 'hanako' : null }),
  'passwords.reset': (it) => {
    if (it.token !== token) throw rejection('link.expired');
    if (it.newPassword === 'password123') throw rejection('password.easy-to-guess');
    return record('passwords.reset', it);
  },
  'emails.request-confirmation': (it) => record('emails.request-confirmation', it),
  'emails.confirm': (it) => {
    // The first submission ends while the second one is processed
    if (it.token === 'used') user = { ...hanako, emailConfirmed: true };
    if (it.token !== token) throw rejection('link.expired');
    return record('emails.confirm', it);
  },
};

beforeAll(async () => {
  stack = await GatewayStack.start(accounts);
  browser = browse(await stack.gateway());
});
afterAll(() => stack.close());
beforeEach(() => {
  enabled = true;
  user = hanako;
  calls = [];
  browser.clearCookies();
});

/** Opens a page and submits a form with a CSRF token. */
const fill = async (page: string, action: string, form: Record<string, string> = {}) => {
  const { csrf } = await browser.open(page);
  return browser.send(action, { csrf, ...form });
};
const seen = ({ status, headers }: { status: number; headers: Headers }) => [status, headers.get('location')];
const visitor = { address: '127.0.0.1', userAgent: expect.any(String), language: 'en' };

describe('the form that requests a link', () => {
  const path = '/account/recovery';

  it('is linked from the sign-in', async () => {
    expect((await browser.open('/sign-in')).html).toContain(`href="${path}"`);
  });

  it('sends the address, and always shows the same sentence', async () => {
    const done = await fill(path, path, { email: ` ${email} ` });
    expect(seen(done)).toEqual([303, `${path}?done=sent`]);
    expect(calls).toEqual([{ name: 'passwords.request-reset', payload: { email, visitor } }]);
    const { html } = await browser.open(`${path}?done=sent`);
    expect(html).toContain('If an account has this email address');
    expect(html).not.toContain(email);
  });

  it('shows errors beside the field, with the address', async () => {
    const { status, html } = await fill(path, path, { email: 'no address' });
    expect(status).toBe(422);
    expect(html).toMatch(/id="email-error">[^<]+</);
    expect(html).toContain('value="no address"');
    const limited = await fill(path, path, { email: 'often@example.com' });
    expect([limited.status, limited.html]).toEqual([429, expect.stringContaining('Wait 15 minutes')]);
    expect(calls).toEqual([]);
  });

  it('is replaced by whom to ask if the shop sends no mail', async () => {
    enabled = false;
    const { status, html } = await browser.open(path);
    expect([status, html]).toEqual([200, expect.stringContaining('Ask its operator')]);
    expect(html).not.toContain('name="email"');
    expect(html).not.toContain('Contact');
  });

  it.each([
    ['en', 'Contact: '],
    ['ja', 'お問い合わせ先：'],
  ])('has a link to the operator if the shop sends no mail (%s)', async (language, label) => {
    const CONTACT_URL = 'https://example.com/help/?a=1&b="><script>';
    const shop = browse(await stack.gateway({ CONTACT_URL }));
    const link = `${label}<a class="standalone" href="https://example.com/help/?a=1&amp;b=%22%3E%3Cscript%3E">example.com/help</a>`;
    const open = async () => (await shop.open(path, { 'accept-language': language })).html;
    expect(await open()).not.toContain('example.com/help');
    enabled = false;
    expect(await open()).toContain(link);
  });
});

describe('the page of a link', () => {
  const [path, link] = ['/account/recovery/password', `/account/recovery/password?token=${token}`];

  it('sets a password, and leads to the sign-in without a session', async () => {
    const { html } = await browser.open(link);
    expect(html).toContain('<strong>hanako</strong>');
    const done = await fill(link, path, { token, newPassword, endAccess: 'yes' });
    expect(seen(done)).toEqual([303, '/sign-in?done=password']);
    expect(calls).toEqual([
      { name: 'passwords.reset', payload: { token, newPassword, endAccess: true, language: 'en' } },
    ]);
    expect((await browser.open('/sign-in?done=password')).html).toContain('Your new password is set');
  });

  it('sends the token neither as a referrer nor into caches', async () => {
    for (const address of [link, `/account/email/confirmation?token=${token}`]) {
      const { headers } = await browser.open(address);
      expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual(['no-referrer', 'no-store']);
    }
    const rejected = await fill(link, path, { token, newPassword: 'short' });
    expect([rejected.status, rejected.headers.get('referrer-policy')]).toEqual([422, 'no-referrer']);
  });

  it('shows a rejected password with the form, without a link that would contain the token', async () => {
    const { status, html } = await fill(link, path, { token, newPassword: 'password123' });
    expect(status).toBe(422);
    expect(html).toMatch(/id="newPassword-error">This password is easy to guess/);
    expect(html).toContain(`name="token" value="${token}"`);
    expect(html).not.toContain('/language/ja');
    expect(calls).toEqual([]);
  });

  it.each(['', '?token=unknown', '?token=a&token=b', `?token=${'x'.repeat(2_000)}`])(
    'offers another link instead of the form: %s',
    async (query) => {
      const { status, html } = await browser.open(`${path}${query}`);
      expect([status, html]).toEqual([422, expect.stringContaining('href="/account/recovery"')]);
      expect(html).not.toContain('newPassword');
    },
  );

  it('reports a link that was used since the page was opened', async () => {
    const { status, html } = await fill(link, path, { token: 'used', newPassword });
    expect([status, html]).toEqual([422, expect.stringContaining('has already been used')]);
  });

  it('shows an expired form again, without the password', async () => {
    await browser.open(link);
    browser.clearCookies();
    const form = { csrf: 'x', token, newPassword, endAccess: 'yes' };
    expect(seen(await browser.send(path, form, { 'sec-fetch-site': 'same-origin' }))).toEqual([303, link]);
    const { status, html, csrf } = await browser.open(link);
    expect([status, html]).toEqual([200, expect.stringContaining('had expired')]);
    expect(html).toMatch(/name="endAccess" value="yes"[^>]* checked/);
    expect(html).not.toContain(newPassword);
    expect(seen(await browser.send(path, { ...form, csrf }))).toEqual([303, '/sign-in?done=password']);
  });

  it('rejects a form without a CSRF token', async () => {
    await browser.open(link);
    expect((await browser.send(path, { token, newPassword })).status).toBe(403);
    expect(calls).toEqual([]);
  });
});

describe('confirmation of the address', () => {
  const [path, link] = ['/account/email/confirmation', `/account/email/confirmation?token=${token}`];

  it('confirms with the form only, signed in or not', async () => {
    await browser.open(link);
    expect(calls).toEqual([]);
    expect(seen(await fill(link, path, { token }))).toEqual([303, '/sign-in?done=confirmed']);
    browser.setSession(session);
    expect(seen(await fill(link, path, { token }))).toEqual([303, '/account?done=confirmed']);
    expect(calls).toEqual(Array(2).fill({ name: 'emails.confirm', payload: { token } }));
  });

  it('shows an expired form again', async () => {
    expect(seen(await browser.send(path, { csrf: 'x', token }, { 'sec-fetch-site': 'same-origin' }))).toEqual([
      303,
      link,
    ]);
    const { html, csrf } = await browser.open(link);
    expect(html).toContain('had expired');
    expect(seen(await browser.send(path, { csrf, token }))).toEqual([303, '/sign-in?done=confirmed']);
  });

  it('reports an expired link', async () => {
    const { status, html } = await fill(link, path, { token: 'expired' });
    expect([status, html]).toEqual([422, expect.stringContaining('This link has expired')]);
  });

  it('succeeds again for a form that is submitted twice by the signed-in user', async () => {
    browser.setSession(session);
    expect((await fill(link, path, { token: 'expired' })).status).toBe(422);
    expect(seen(await fill(link, path, { token: 'used' }))).toEqual([303, '/account?done=confirmed']);
  });

  it('is offered again on the account page', async () => {
    browser.setSession(session);
    expect((await browser.open('/account')).html).toContain('Not confirmed yet');
    const done = await fill('/account', `${path}/send`);
    expect(seen(done)).toEqual([303, '/account?done=confirmation-sent']);
    expect(calls).toEqual([{ name: 'emails.request-confirmation', payload: { userId: 1, visitor } }]);
  });

  it('is not offered for a confirmed address, nor by a shop that sends no mail', async () => {
    browser.setSession(session);
    user = { ...hanako, emailConfirmed: true };
    expect((await browser.open('/account')).html).toMatch(/\(Confirmed\)/);
    [user, enabled] = [hanako, false];
    const { html } = await browser.open('/account');
    expect(html).not.toMatch(/onfirm/);
  });
});
