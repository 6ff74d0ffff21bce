import { connect } from 'node:net';
import { type Authorization, type OAuthParameters, problems } from '#contracts';
import { DomainError } from '#kernel';
import { type Browser, browse } from '../../testing/browse.js';
import { GatewayStack } from '../../testing/gateway-stack.js';

interface AuthorizeQuery {
  readonly query: OAuthParameters;
  readonly userId: number | null;
  readonly decision: string | null;
}

const hanako = { id: 7, name: 'hanako', displayName: '花子', email: 'hanako@example.com', hasPassword: true };
const session = 's'.repeat(43);
const consentRequest = {
  next: 'consent' as const,
  application: {
    name: 'Poster <b>Creator</b>',
    description: 'Posters.\nFast.',
    homePage: 'https://posters.example/',
    ownerName: 'taro',
  },
  scopes: ['read' as const, 'write' as const],
  granted: [],
  redirectUri: 'https://posters.example/callback?x=1',
};
const address = '/oauth/authorize?client_id=abc&state=%22%3E%3Cscript%3E&scope=read+write';

let stack: GatewayStack;
let url: string;
let browser: Browser;
let requests: AuthorizeQuery[] = [];
let reply: Authorization;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'sessions.show': (it: { session: string }) =>
      it.session === session ? { active: true, user: hanako } : { active: false },
    'sessions.close': () => null,
    'oauth.authorize': (it: AuthorizeQuery) => {
      requests.push(it);
      return reply;
    },
  });
  url = await stack.gateway();
});
afterAll(() => stack.close());
beforeEach(() => {
  requests = [];
  reply = consentRequest;
  browser = browse(url);
  browser.setSession(session);
});

describe('authorization request', () => {
  it('is passed on as it was sent, with the signed-in user', async () => {
    await browser.open('/oauth/authorize?client_id=a%20b&state=%00%F0%9F%90%88&state=2&scope&decision=allow');
    expect(requests).toEqual([
      {
        query: { given: { client_id: 'a b', state: '\0🐈', scope: '', decision: 'allow' }, repeated: ['state'] },
        userId: 7,
        decision: null,
      },
    ]);
    browser.clearCookies();
    await browser.open('/oauth/authorize');
    expect(requests[1]).toEqual({ query: { given: {}, repeated: [] }, userId: null, decision: null });
  });

  it('of an anonymous user is repeated after the sign-in', async () => {
    reply = { next: 'sign-in' };
    browser.clearCookies();
    const { status, headers } = await browser.open(address);
    expect([status, headers.get('cache-control')]).toEqual([303, 'no-store']);
    const location = new URL(headers.get('location')!, url);
    expect([location.origin, location.pathname]).toEqual([url, '/sign-in']);
    expect(location.searchParams.get('to')).toBe(address);
    const form = await browser.open(location.pathname + location.search);
    expect(form.html).toContain(`name="to" value="${address.replaceAll('&', '&amp;')}"`);
  });

  it('stays on this site when the request target names another host', async () => {
    reply = { next: 'sign-in' };
    const { hostname, port } = new URL(url);
    const text = await new Promise<string>((resolve) => {
      let received = '';
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          'GET http://evil.example/oauth/authorize?a=b HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n',
        ),
      );
      socket.on('data', (chunk: Buffer) => (received += chunk.toString())).on('close', () => resolve(received));
    });
    expect(text).toMatch(/^HTTP\/1.1 303 /);
    expect(/^location: (.*)$/im.exec(text)?.[1]?.trim()).toBe('/sign-in?to=%2Foauth%2Fauthorize%3Fa%3Db');
  });

  it('redirects to the application without being stored and without a referrer', async () => {
    reply = { next: 'redirect', to: 'com.example.app:/callback?code=x&iss=https%3A%2F%2Fshop.example.com' };
    const { status, headers, html } = await browser.open(address);
    expect([status, headers.get('location'), html]).toEqual([303, reply.to, '']);
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
  });

  it('never redirects an anonymous user to the application, not even with an error', async () => {
    reply = { next: 'redirect', to: 'https://posters.example/callback?error=invalid_scope' };
    browser.clearCookies();
    const { status, headers } = await browser.open(address);
    expect([status, headers.get('location')]).toEqual([303, `/sign-in?to=${encodeURIComponent(address)}`]);
  });

  it('that is invalid is rejected on a page without a redirect, in the language of the user', async () => {
    reply = { next: 'reject', error: 'invalid_request', description: 'redirect_uri: <i>is not</i> registered' };
    const { status, headers, html } = await browser.open(address);
    expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([400, null, 'no-store']);
    expect(html).toContain('has a missing or invalid parameter');
    expect(html).toContain('redirect_uri: &lt;i&gt;is not&lt;/i&gt; registered');
    const japanese = await browser.open(address, { 'accept-language': 'ja' });
    expect(japanese.html).toContain('不足しているか正しくないパラメーターがあります');
    reply = { next: 'reject', error: 'invalid_client', description: 'client_id: is unknown' };
    expect((await browser.open(address)).html).toContain('No application has the client ID');
    reply = { next: 'reject', error: 'something_else', description: 'x' };
    expect((await browser.open(address)).html).toContain('has made an invalid request');
  });

  it('is rejected if its address is too long for a return path', async () => {
    const { status, html } = await browser.open(`/oauth/authorize?state=${'x'.repeat(4_100)}`);
    expect([status, html.includes('The address is too long.')]).toEqual([400, true]);
    expect(requests).toEqual([]);
  });

  it('shows an error page when the accounts service is down', async () => {
    stack.handlers['oauth.authorize'] = () => {
      throw new DomainError(problems['service.unavailable'], 'No replica is up.');
    };
    const { status, headers } = await browser.open(address);
    expect([status, headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    stack.handlers['oauth.authorize'] = (it: AuthorizeQuery) => (requests.push(it), reply);
  });

  it('issues no code for HEAD', async () => {
    reply = { next: 'redirect', to: 'https://posters.example/callback?code=x' };
    const head = await fetch(url + address, { method: 'HEAD', headers: { cookie: `__Host-session=${session}` } });
    expect([head.status, head.headers.get('allow'), head.headers.get('location')]).toEqual([405, 'GET, POST', null]);
    expect(requests).toEqual([]);
  });

  it.each([
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-moz': 'prefetch' },
  ] as Record<string, string>[])('issues no code for a prefetch: %j', async (headers) => {
    reply = { next: 'redirect', to: 'https://posters.example/callback?code=x' };
    const prefetch = await browser.open(address, headers);
    expect([prefetch.status, prefetch.headers.get('location'), prefetch.headers.get('cache-control')]).toEqual([
      400,
      null,
      'no-store',
    ]);
    expect(requests).toEqual([]);
  });
});

describe('consent page', () => {
  it('shows the application, its permissions, the recipient of the decision and the signed-in user', async () => {
    const { status, html } = await browser.open(address);
    expect(status).toBe(200);
    for (const part of [
      '<bdi>Poster &lt;b&gt;Creator&lt;/b&gt;</bdi> wants to access your account',
      'Posters.\nFast.',
      '<a href="/taro">taro</a>',
      '<a href="https://posters.example/" rel="nofollow noreferrer">',
      'View your profile and your work',
      'It would receive this email address: <strong><bdi>hanako@example.com</bdi></strong>',
      'Make changes on your behalf',
      'to the site <strong class="code">posters.example</strong>',
      '花子',
    ])
      expect(html).toContain(part);
    for (const part of ['<script', 'It could not change anything', 'class="mark"']) expect(html).not.toContain(part);
    expect(Buffer.byteLength(html)).toBeLessThan(20_000);
  });

  it('is shown in Japanese', async () => {
    const { html } = await browser.open(address, { 'accept-language': 'ja' });
    expect(html).toContain('</bdi>があなたのアカウントへのアクセスを求めています');
    expect(html).toContain('許可しない');
  });

  it('marks new permissions, and notes read-only access', async () => {
    reply = { ...consentRequest, granted: ['read'] };
    const { html } = await browser.open(address);
    expect(html).toContain('already allowed some of this');
    expect(html.match(/class="mark"/g)).toHaveLength(1);
    expect(html).toMatch(/Make changes on your behalf<\/strong> <span class="mark">/);
    reply = { ...consentRequest, granted: ['read', 'write'] };
    expect((await browser.open(address)).html).toContain('You have already allowed this.');
    reply = { ...consentRequest, scopes: ['read'] };
    const readOnly = await browser.open(address);
    expect(readOnly.html).toContain('It could not change anything.');
    expect(readOnly.html).not.toContain('Make changes on your behalf');
  });

  it('shows an app or a program on the same device as recipient of the decision', async () => {
    reply = { ...consentRequest, redirectUri: 'com.example.app:/callback' };
    expect((await browser.open(address)).html).toContain(
      'starting with <strong class="code">com.example.app:</strong>',
    );
    reply = { ...consentRequest, redirectUri: 'http://127.0.0.1:51004/callback' };
    expect((await browser.open(address)).html).toContain('device, at <strong class="code">127.0.0.1:51004</strong>');
  });

  it('does not link a website with another scheme', async () => {
    reply = { ...consentRequest, application: { ...consentRequest.application, homePage: 'javascript:alert(1)' } };
    expect((await browser.open(address)).html).not.toContain('javascript:');
  });

  it('limits form-action to the scheme of the redirect URI, forbids frames, and is not stored', async () => {
    const policyOf = async (redirectUri: string) => {
      reply = { ...consentRequest, redirectUri };
      return (await browser.open(address)).headers.get('content-security-policy')!;
    };
    const { headers } = await browser.open(address);
    expect([headers.get('cache-control'), headers.get('x-frame-options')]).toEqual(['no-store', 'DENY']);
    expect(headers.get('access-control-allow-origin')).toBeNull();
    const policy = await policyOf(consentRequest.redirectUri);
    expect(policy).toContain("form-action 'self' https:;");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(await policyOf('com.example.app:/callback')).toContain("form-action 'self' com.example.app:;");
    expect(await policyOf("http://a;script-src'unsafe-inline'/")).toContain("form-action 'self';");
  });

  it('has no Cross-Origin-Opener-Policy, because applications open it in a popup', async () => {
    expect((await browser.open(address)).headers.get('cross-origin-opener-policy')).toBeNull();
  });

  it('returns to the authorization request after a change of the account', async () => {
    const { html, csrf } = await browser.open(address);
    expect(html).toContain(`name="to" value="${address.replaceAll('&', '&amp;')}"`);
    const signedOut = await browser.send('/sign-out', { csrf, to: address });
    expect([signedOut.status, signedOut.headers.get('location'), browser.cookie()]).toEqual([303, address, undefined]);
  });
});

describe('decision', () => {
  const decide = async (form: Record<string, string>, to = address) => {
    const { csrf } = await browser.open(address);
    requests = [];
    return browser.send(to, { csrf, ...form });
  };

  it.each(['allow', 'deny'])(
    '%s is passed on with the query of the address, and redirects to the application',
    async (decision) => {
      const { html } = await browser.open(address);
      expect(html).toContain(`<form action="${address.replaceAll('&', '&amp;')}" method="post">`);
      const { csrf } = await browser.open(address);
      requests = [];
      reply = { next: 'redirect', to: 'https://posters.example/callback?code=x' };
      const done = await browser.send(address, { csrf, decision, client_id: 'other' });
      expect([done.status, done.headers.get('location')]).toEqual([303, reply.to]);
      expect(done.headers.get('referrer-policy')).toBe('no-referrer');
      const given = { client_id: 'abc', state: '"><script>', scope: 'read write' };
      expect(requests).toEqual([{ query: { given, repeated: [] }, userId: 7, decision }]);
    },
  );

  it.each(['', 'yes', 'Allow', 'allow ', 'true'])('%j is rejected', async (decision) => {
    expect((await decide({ decision })).status).toBe(400);
    expect(requests).toEqual([]);
  });

  it('is rejected if it is missing, repeated, or in the query', async () => {
    expect((await decide({})).status).toBe(400);
    expect((await decide({}, `${address}&decision=allow`)).status).toBe(400);
    const { csrf } = await browser.open(address);
    requests = [];
    const twice = await fetch(url + address, {
      method: 'POST',
      headers: { cookie: `__Host-session=${session}` },
      body: new URLSearchParams([
        ['csrf', csrf],
        ['decision', 'deny'],
        ['decision', 'allow'],
      ]),
    });
    expect(twice.status).toBe(400);
    expect(requests).toEqual([]);
  });

  it('requires a CSRF token', async () => {
    const { csrf } = await browser.open(address);
    requests = [];
    expect((await browser.send(address, { decision: 'allow' })).status).toBe(403);
    expect((await browser.send(address, { decision: 'allow', csrf: csrf.slice(1) })).status).toBe(403);
    expect((await browser.send(`${address}&csrf=${csrf}`, { decision: 'allow' })).status).toBe(403);
    const json = await fetch(url + address, {
      method: 'POST',
      headers: { cookie: `__Host-session=${session}`, 'content-type': 'application/json' },
      body: JSON.stringify({ given: { csrf, decision: 'allow' }, repeated: [] }),
    });
    expect(json.status).toBe(403);
    expect(requests).toEqual([]);
  });
});
