import { problems, type Visitor } from '#contracts';
import { DomainError } from '#kernel';
import { type Browser, browse } from '../../testing/browse.js';
import { GatewayStack } from '../../testing/gateway-stack.js';

let stack: GatewayStack;
let url: string;
let browser: Browser;
let isDown = false;
let sessionChecks = 0;
let visitors: Visitor[] = [];
let closedSessions: string[] = [];
let newSession: string;

const hanako = { id: 1, name: 'hanako', displayName: '花子', email: 'hanako@example.com', hasPassword: true };
const session = 's'.repeat(43);

beforeAll(async () => {
  stack = await GatewayStack.start({
    'sessions.show': (it: { session: string }) => {
      sessionChecks += 1;
      if (isDown) throw new DomainError(problems['service.unavailable'], 'Down.');
      return it.session === session ? { active: true, user: hanako } : { active: false };
    },
    'sessions.open': ({ password, visitor }: { password: string; visitor: Visitor }) => {
      visitors.push(visitor);
      if (password === 'again')
        throw new DomainError(problems['sign-in.too-many'], 'No.', undefined, { 'Retry-After': '900' });
      if (password === 'defect') throw new Error('Defect.');
      if (password !== 'right') throw new DomainError(problems['sign-in.refused'], 'No.');
      return { session: newSession };
    },
    'sessions.close': (it: { session: string }) => (closedSessions.push(it.session), null),
  });
  url = await stack.gateway();
  browser = browse(url);
});
afterAll(() => stack.close());
beforeEach(() => {
  browser.clearCookies();
  isDown = false;
  sessionChecks = 0;
  visitors = [];
  closedSessions = [];
  newSession = session;
});

describe('page', () => {
  it('uses the language of the browser, then the chosen language', async () => {
    const japanese = await browser.open('/sign-in', { 'accept-language': 'ja,en;q=0.5' });
    expect([japanese.status, /<html lang="(..)">/.exec(japanese.html)?.[1]]).toEqual([200, 'ja']);
    expect(japanese.headers.get('content-language')).toBe('ja');
    const back = await browser.open('/language/en?to=%2Fsign-in%3Fto%3D%252Faccount');
    expect([back.status, back.headers.get('location')]).toEqual([303, '/sign-in?to=%2Faccount']);
    expect((await browser.open('/sign-in', { 'accept-language': 'ja' })).html).toContain('<html lang="en">');
  });

  it('is never stored, and allows no script, frame or form to another site', async () => {
    const { headers } = await browser.open('/sign-in');
    expect(headers.get('cache-control')).toBe('no-store');
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self';");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('strict-transport-security')).toContain('max-age=31536000');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('has a style sheet that browsers may cache permanently', async () => {
    const { html } = await browser.open('/sign-in');
    const address = /href="([^"]+\.css)"/.exec(html)![1]!;
    const sheet = await browser.open(address);
    expect(sheet.status).toBe(200);
    expect(sheet.headers.get('cache-control')).toContain('immutable');
  });

  it('has an icon', async () => {
    const [, icon] = /<link rel="icon" href="([^"]+)" type="image\/svg\+xml">/.exec(
      (await browser.open('/sign-in')).html,
    )!;
    const { status, headers, html } = await browser.open(icon!);
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
    expect(html).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^]*<\/svg>\s*$/);
  });

  it('shows errors as a page to a browser, as a problem document to a program', async () => {
    const page = await browser.open('/no/such/page');
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const document = await browser.open('/no/such/page', { accept: '*/*' });
    expect(document.headers.get('content-type')).toContain('application/problem+json');
    const api = await browser.open('/api/v1/nothing');
    expect(api.headers.get('content-type')).toContain('application/problem+json');
  });

  it('responds to HEAD without a body, with or without a trailing slash, and to no other method', async () => {
    const head = await browser.open('/sign-in/', {}, 'HEAD');
    expect([head.status, head.html, head.headers.get('cache-control')]).toEqual([200, '', 'no-store']);
    expect((await browser.open('/sign-in/')).html).toContain('name="login"');
    const members = await browser.open('/account/', {}, 'HEAD');
    expect([members.status, members.headers.get('location')]).toEqual([303, '/sign-in?to=%2Faccount%2F']);
    for (const [method, path, allow] of [
      ['POST', '/account', 'GET, HEAD'],
      ['PUT', '/sign-in', 'GET, HEAD, POST'],
      ['DELETE', '/sign-out', 'POST'],
    ] as const) {
      const rejected = await browser.open(path, {}, method);
      expect([rejected.status, rejected.headers.get('allow')]).toEqual([405, allow]);
      expect(rejected.html).toContain('This address cannot be opened directly');
    }
  });

  it('returns 503 to members when accounts is down, and checks no session without a cookie', async () => {
    isDown = true;
    const anonymous = await browser.open('/sign-in');
    expect([anonymous.status, sessionChecks]).toEqual([200, 0]);
    browser.setSession(session);
    const member = await browser.open('/sign-in');
    expect([member.status, member.headers.get('content-type'), sessionChecks]).toEqual([
      503,
      'text/html; charset=utf-8',
      1,
    ]);
    expect(member.html).not.toContain('花子');
    isDown = false;
    expect((await browser.open('/account')).html).toContain('花子');
  });

  it('sends HSTS and secure cookies over HTTPS only', async () => {
    const headersAt = async (gateway: string) => {
      const other = browse(gateway);
      const { headers } = await other.open('/sign-in');
      return [headers.get('strict-transport-security'), headers.getSetCookie().join()];
    };
    expect(await headersAt(url)).toEqual(['max-age=31536000', expect.stringMatching(/^__Host-session=.*Secure/)]);
    const plain = await stack.gateway({ BASE_URL: 'http://shop.example.com' });
    expect(await headersAt(plain)).toEqual([null, expect.stringMatching(/^session=(?!.*Secure)/)]);
    const redirect = await browser.open('/account');
    expect(redirect.headers.get('strict-transport-security')).toBe('max-age=31536000');
  });

  it('links below the path of the base address, which the proxy strips', async () => {
    const below = browse(await stack.gateway({ BASE_URL: 'https://example.com/shop' }));
    const addresses = ({ html }: { html: string }) =>
      [...html.matchAll(/(?:href|action|content="0;url)="?([^"]*)"/g)].map(([, it]) => it!);
    const isBelow = /^(?:\/shop\/|#|data:,$)/;
    const { csrf, ...signIn } = await below.open('/sign-in?to=/account');
    for (const page of [signIn, await below.open('/sign-up'), await below.open('/no/such/page')])
      expect(addresses(page).filter((it) => !isBelow.test(it))).toEqual([]);
    expect(signIn.html).toContain('name="to" value="/account"');
    expect(signIn.html).toContain('"/shop/language/ja?to=%2Fsign-in%3Fto%3D%2Faccount"');
    const redirect = await below.open('/account');
    expect(redirect.headers.get('location')).toBe('/shop/sign-in?to=%2Faccount');
    expect((await below.open('/language/ja?to=%2Fsign-up')).headers.get('location')).toBe('/shop/sign-up');
    const form = { csrf, login: 'hanako', password: 'right' };
    const signedIn = await below.send('/sign-in', { ...form, to: '/oauth/authorize?a=1' });
    expect(signedIn.html).toContain('content="0;url=/shop/oauth/authorize?a=1"');
    expect(signedIn.headers.getSetCookie().join()).toMatch(/^__Host-session=\w+; Max-Age=1209600; Path=\/;/);
    const account = await below.open('/account');
    expect([account.status, addresses(account).filter((it) => !isBelow.test(it))]).toEqual([200, []]);
    const done = await below.send('/sign-out', { csrf: account.csrf });
    expect(done.headers.get('location')).toBe('/shop/');
  });
});

describe('form', () => {
  it('is rejected without the CSRF token, and with the one of another session', async () => {
    const missing = await browser.send('/sign-in', { login: 'hanako', password: 'right' });
    expect(missing.status).toBe(403);
    const mine = await browser.open('/sign-in');
    browser.clearCookies();
    await browser.open('/sign-in');
    const foreign = await browser.send('/sign-in', { csrf: mine.csrf, login: 'hanako', password: 'right' });
    expect([foreign.status, foreign.html.includes('This form has expired')]).toEqual([403, true]);
  });

  it('shows the submitted values except the password, and the errors beside the fields', async () => {
    const { csrf } = await browser.open('/sign-in');
    const rejected = await browser.send('/sign-in', { csrf, login: '"><b>hanako', password: 'wrong' });
    expect(rejected.status).toBe(422);
    expect(rejected.html).toContain('value="&quot;&gt;&lt;b&gt;hanako"');
    expect(rejected.html).toContain('Incorrect user name, email address or password.');
    expect(rejected.html).not.toContain('value="wrong"');
    const empty = await browser.send('/sign-in', { csrf, login: 'hanako', password: '' });
    expect(empty.html).toContain('aria-describedby="password-error"');
  });
});

describe('error page', () => {
  const sameOrigin = { 'sec-fetch-site': 'same-origin' };
  const referer = 'https://shop.example.com/search?q=x&offset=24';
  const linkBackOf = ({ html }: { html: string }) =>
    /<a class="button" href="([^"]*)">Back to the page</.exec(html)?.[1];

  it('of an expired button links back to its page, on this site only', async () => {
    browser.setSession(session);
    const press = (headers: Record<string, string>) => browser.send('/favorites', { csrf: 'x', add: '5' }, headers);
    const expired = await press({ ...sameOrigin, referer });
    expect([expired.status, linkBackOf(expired)]).toEqual([403, '/search?q=x&amp;offset=24']);
    expect(expired.html).toContain('Open the page with the form again');
    for (const headers of [
      sameOrigin,
      { referer },
      { ...sameOrigin, referer: 'https://evil.example/search' },
      { ...sameOrigin, referer: 'https://shop.example.com//evil.example' },
      { 'sec-fetch-site': 'cross-site', referer },
    ])
      expect(linkBackOf(await press(headers))).toBeUndefined();
    expect(linkBackOf(await browser.open('/no/such/page', { ...sameOrigin, referer }))).toBeUndefined();
  });

  it('and a rejected form show the number of unread notifications', async () => {
    stack.handlers['activities.unreads'] = () => ({ unreads: 7 });
    browser.setSession(session);
    const { csrf } = await browser.open('/account');
    const rejected = await browser.send('/account/profile', { csrf, displayName: 'x'.repeat(300) });
    expect(rejected.status).toBe(422);
    for (const { html } of [rejected, await browser.open('/no/such/page')])
      expect(html).toContain('<span class="mark">7<span');
    stack.handlers['activities.unreads'] = () => ({ unreads: 0 });
  });

  it.each([
    ['en', 'Contact: ', 'contact us'],
    ['ja', 'お問い合わせ先：', 'お問い合わせください'],
  ])(
    'of an internal error has a link to the operator, if the setting has an address (%s)',
    async (language, label, text) => {
      const link = `${label}<a class="standalone" href="mailto:shop@example.com">shop@example.com</a>`;
      const other = await stack.gateway({ CONTACT_URL: 'mailto:shop@example.com' });
      for (const [gateway, hasLink] of [
        [other, true],
        [url, false],
      ] as const) {
        const shop = browse(gateway);
        const { csrf } = await shop.open('/sign-in');
        const form = { csrf, login: 'hanako', password: 'defect' };
        const { status, html } = await shop.send('/sign-in', form, { 'accept-language': language });
        expect([status, html.includes(text), html.includes(link), html.includes(label)]).toEqual([
          ...[500, true, hasLink, hasLink],
        ]);
        expect((await shop.open('/no/such/page')).html).not.toContain('Contact');
      }
    },
  );

  it('has no empty paragraph', async () => {
    for (const page of [
      await browser.open('/search?offset=-1'),
      await browser.open('/sign-in', {}, 'POST'),
      await browser.open('/sign-in', { 'content-type': 'multipart/form-data; boundary=a' }, 'POST', '--a--'),
      await browser.send('/sign-in', { login: 'x'.repeat(200_000) }),
    ]) {
      expect(page.html).toMatch(/<\/h1>\s*<p>[^<]+<\/p>/);
      expect(page.html).not.toMatch(/<p>\s*<\/p>/);
    }
  });
});

describe('language link', () => {
  const returnPathOf = ({ html }: { html: string }) => decodeURIComponent(/language\/ja\?to=([^"]*)"/.exec(html)![1]!);

  it('returns to the page, or to one that can be opened with GET', async () => {
    const invalidForm = { csrf: 'x', to: '/x' };
    expect(returnPathOf(await browser.open('/no/such/page?a=1'))).toBe('/no/such/page?a=1');
    expect(returnPathOf(await browser.send('/sign-in', invalidForm))).toBe('/sign-in');
    for (const path of ['/sign-out', '/sign-in/with/example', '/account/identities/1/unlink', '/no/such/page'])
      expect([path, returnPathOf(await browser.send(path, invalidForm))]).toEqual([path, '/']);
    browser.setSession(session);
    for (const path of ['/sign-out', '/account/applications/1/revoke'])
      expect([path, returnPathOf(await browser.send(path, invalidForm))]).toEqual([path, '/account']);
    expect(returnPathOf(await browser.send('/account/email', invalidForm))).toBe('/account/email');
  });
});

describe('invalid form body', () => {
  it('is rejected: JSON, a body that is too large, an empty body', async () => {
    const { csrf } = await browser.open('/sign-in');
    const json = { accept: 'text/html', 'content-type': 'application/json' };
    for (const given of [{ csrf, login: 'hanako', password: 'right' }, { csrf: {} }, null]) {
      const rejected = await browser.open('/sign-in', json, 'POST', JSON.stringify({ given }));
      expect([rejected.status, visitors]).toEqual([403, []]);
    }
    expect((await browser.open('/sign-in', {}, 'POST')).status).toBe(403);
    const multipart = { 'content-type': 'multipart/form-data; boundary=a' };
    expect((await browser.open('/sign-in', multipart, 'POST', '--a--')).status).toBe(415);
    const large = await browser.send('/sign-in', { csrf, login: 'x'.repeat(200_000) });
    expect([large.status, large.html.includes('The request is too large')]).toEqual([413, true]);
    const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
    const stream = new Blob(['login='.padEnd(200_000, 'x')]).stream();
    expect((await browser.open('/sign-in', urlencoded, 'POST', stream)).status).toBe(413);
  });
});

describe('sign-in', () => {
  it('sets a new session cookie and redirects to a path of this site only', async () => {
    const { csrf } = await browser.open('/sign-in?to=/account');
    const before = browser.cookie();
    const done = await browser.send('/sign-in', {
      csrf,
      login: 'hanako',
      password: 'right',
      to: '//evil.example.com/x',
    });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/account']);
    expect(browser.cookie()).toBe(session);
    expect(before).not.toBe(session);
    const set = done.headers.getSetCookie().join();
    for (const part of ['__Host-session=', 'Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax']) expect(set).toContain(part);
    expect((await browser.open('/no/such/page')).html).toContain('花子');
  });

  it('never uses a planted session id as session', async () => {
    const planted = 'p'.repeat(43);
    browser.setSession(planted);
    const { csrf } = await browser.open('/sign-in');
    expect(browser.cookie()).toBe(planted);
    await browser.send('/sign-in', { csrf, login: 'hanako', password: 'right' });
    expect(browser.cookie()).toBe(session);
    expect((await browser.open('/account')).status).toBe(200);
    browser.setSession(planted);
    expect((await browser.open('/account')).status).toBe(303);
  });

  it('counts attempts by the client address, or by the forwarded address of a trusted proxy', async () => {
    const trusting = await stack.gateway({ TRUSTED_PROXIES: 'loopback, 203.0.113.0/24' });
    for (const [gateway, forwarded] of [
      [url, '198.51.100.7'],
      [trusting, '192.0.2.1, 198.51.100.7, 203.0.113.9'],
      [trusting, '2001:db8:1:2:3:4:5:6'],
    ] as const) {
      const other = browse(gateway);
      const { csrf } = await other.open('/sign-in');
      const headers = { 'x-forwarded-for': forwarded, 'user-agent': 'x'.repeat(600) };
      await other.send('/sign-in', { csrf, login: ' hanako ', password: 'wrong' }, headers);
    }
    expect(visitors.map(({ address }) => address)).toEqual(['127.0.0.1', '198.51.100.7', '2001:db8:1:2::/64']);
    expect(visitors[0]!.userAgent).toHaveLength(512);
  });

  it('closes the previous session of the browser', async () => {
    const { csrf: firstCsrf } = await browser.open('/sign-in');
    await browser.send('/sign-in', { csrf: firstCsrf, login: 'hanako', password: 'right' });
    expect([browser.cookie(), closedSessions]).toEqual([session, []]);
    const { csrf } = await browser.open('/account');
    await browser.send('/sign-in', { csrf, login: 'taro', password: 'wrong' });
    expect(closedSessions).toEqual([]);
    newSession = 'n'.repeat(43);
    await browser.send('/sign-in', { csrf, login: 'taro', password: 'right' });
    expect([browser.cookie(), closedSessions]).toEqual([newSession, [session]]);
  });

  it('sends Retry-After after too many attempts', async () => {
    const { csrf } = await browser.open('/sign-in');
    const { status, headers, html } = await browser.send('/sign-in', { csrf, login: 'hanako', password: 'again' });
    expect([status, headers.get('retry-after')]).toEqual([429, '900']);
    expect(html).toContain('value="hanako"');
  });

  it('signs out by POST only, and clears the session cookie', async () => {
    browser.setSession(session);
    await browser.open('/sign-out');
    expect(browser.cookie()).toBe(session);
    const { csrf } = await browser.open('/no/such/page');
    const done = await browser.send('/sign-out', { csrf });
    expect([done.status, browser.cookie()]).toEqual([303, undefined]);
  });
});

it('robots.txt excludes pages for one user', async () => {
  const { status, headers, html } = await browser.open('/robots.txt');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const rules = [...html.matchAll(/^Disallow: (.*)$/gm)].map(([, rule]) => rule!);
  const isExcluded = (path: string): boolean =>
    rules.some((rule) => (rule.endsWith('$') ? path === rule.slice(0, -1) : path.startsWith(rule)));
  const own = ['/account', '/account/profile', '/search?q=cat', '/sign-in?to=/', '/oauth/authorize', '/api/v1/items'];
  expect(own.filter((path) => !isExcluded(path))).toEqual([]);
  const users = ['/accountant', '/searchlight/7/mug/m/white', '/languages-fan', '/sign-painter', '/favorites-2'];
  expect(users.filter(isExcluded)).toEqual([]);
});
