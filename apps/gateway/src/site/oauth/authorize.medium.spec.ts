import { connect } from 'node:net';
import { type Authorization, type OAuthParameters, problems } from '#contracts';
import { DomainError } from '#kernel';
import { type Browser, browse } from '../../testing/browse.js';
import { GatewayStack } from '../../testing/gateway-stack.js';

interface Asked {
  readonly query: OAuthParameters;
  readonly userId: number | null;
  readonly decision: string | null;
}

const hanako = { id: 7, name: 'hanako', displayName: '花子', email: 'hanako@example.com', hasPassword: true };
const session = 's'.repeat(43);
const question = {
  next: 'ask' as const,
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
let asked: Asked[] = [];
let answer: Authorization;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'sessions.show': (it: { session: string }) =>
      it.session === session ? { active: true, user: hanako } : { active: false },
    'sessions.close': () => null,
    'oauth.authorize': (it: Asked) => {
      asked.push(it);
      return answer;
    },
  });
  url = await stack.gateway();
});
afterAll(() => stack.close());
beforeEach(() => {
  asked = [];
  answer = question;
  browser = browse(url);
  browser.remember(session);
});

describe('an authorization request', () => {
  it('is passed on as it was sent, with who is signed in', async () => {
    await browser.open('/oauth/authorize?client_id=a%20b&state=%00%F0%9F%90%88&state=2&scope&decision=allow');
    expect(asked).toEqual([
      {
        query: { given: { client_id: 'a b', state: '\0🐈', scope: '', decision: 'allow' }, repeated: ['state'] },
        userId: 7,
        decision: null,
      },
    ]);
    browser.forget();
    await browser.open('/oauth/authorize');
    expect(asked[1]).toEqual({ query: { given: {}, repeated: [] }, userId: null, decision: null });
  });

  it('of somebody who is not signed in comes back after signing in', async () => {
    answer = { next: 'sign-in' };
    browser.forget();
    const { status, headers } = await browser.open(address);
    expect([status, headers.get('cache-control')]).toEqual([303, 'no-store']);
    const location = new URL(headers.get('location')!, url);
    expect([location.origin, location.pathname]).toEqual([url, '/sign-in']);
    expect(location.searchParams.get('to')).toBe(address);
    const form = await browser.open(location.pathname + location.search);
    expect(form.html).toContain(`name="to" value="${address.replaceAll('&', '&amp;')}"`);
  });

  it('stays on this site when the request line names another one', async () => {
    answer = { next: 'sign-in' };
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

  it('leads back to the application without being stored, and without saying where one came from', async () => {
    answer = { next: 'redirect', to: 'com.example.app:/callback?code=x&iss=https%3A%2F%2Fshop.example.com' };
    const { status, headers, html } = await browser.open(address);
    expect([status, headers.get('location'), html]).toEqual([303, answer.to, '']);
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
  });

  it('leads nobody away who has not signed in, not with an error either', async () => {
    answer = { next: 'redirect', to: 'https://posters.example/callback?error=invalid_scope' };
    browser.forget();
    const { status, headers } = await browser.open(address);
    expect([status, headers.get('location')]).toEqual([303, `/sign-in?to=${encodeURIComponent(address)}`]);
  });

  it('that cannot be trusted is refused on a page that leads nowhere, in the language of the person', async () => {
    answer = { next: 'refuse', error: 'invalid_request', description: 'redirect_uri: <i>is not</i> registered' };
    const { status, headers, html } = await browser.open(address);
    expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([400, null, 'no-store']);
    expect(html).toContain('lacks something');
    expect(html).toContain('redirect_uri: &lt;i&gt;is not&lt;/i&gt; registered');
    const japanese = await browser.open(address, { 'accept-language': 'ja' });
    expect(japanese.html).toContain('正しくないものがあります');
    answer = { next: 'refuse', error: 'invalid_client', description: 'client_id: is unknown' };
    expect((await browser.open(address)).html).toContain('There is no application');
    answer = { next: 'refuse', error: 'something_else', description: 'x' };
    expect((await browser.open(address)).html).toContain('has made a mistake');
  });

  it('whose address would get lost at the sign-in is refused', async () => {
    const { status, html } = await browser.open(`/oauth/authorize?state=${'x'.repeat(4_100)}`);
    expect([status, html.includes('The address is too long.')]).toEqual([400, true]);
    expect(asked).toEqual([]);
  });

  it('is a page that says so when the accounts are down', async () => {
    stack.answers['oauth.authorize'] = () => {
      throw new DomainError(problems['service.unavailable'], 'No replica is up.');
    };
    const { status, headers } = await browser.open(address);
    expect([status, headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    stack.answers['oauth.authorize'] = (it: Asked) => (asked.push(it), answer);
  });

  it('asks nobody and gives nothing when it is HEAD', async () => {
    answer = { next: 'redirect', to: 'https://posters.example/callback?code=x' };
    const head = await fetch(url + address, { method: 'HEAD', headers: { cookie: `__Host-visit=${session}` } });
    expect([head.status, head.headers.get('allow'), head.headers.get('location')]).toEqual([405, 'GET, POST', null]);
    expect(asked).toEqual([]);
  });

  it.each([
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-moz': 'prefetch' },
  ] as Record<string, string>[])('asks nobody and gives nothing when it is fetched ahead: %j', async (headers) => {
    answer = { next: 'redirect', to: 'https://posters.example/callback?code=x' };
    const ahead = await browser.open(address, headers);
    expect([ahead.status, ahead.headers.get('location'), ahead.headers.get('cache-control')]).toEqual([
      400,
      null,
      'no-store',
    ]);
    expect(asked).toEqual([]);
  });
});

describe('the consent page', () => {
  it('says who asks, for what, where the answer goes, and who is signed in', async () => {
    const { status, html } = await browser.open(address);
    expect(status).toBe(200);
    for (const part of [
      '<bdi>Poster &lt;b&gt;Creator&lt;/b&gt;</bdi> asks for access to your account',
      'Posters.\nFast.',
      '<a href="/taro">taro</a>',
      '<a href="https://posters.example/" rel="nofollow noreferrer">',
      'See your profile and your work',
      'It gets this e-mail address: <strong><bdi>hanako@example.com</bdi></strong>',
      'Change things in your name',
      'to the site <strong class="code">posters.example</strong>',
      '花子',
    ])
      expect(html).toContain(part);
    for (const part of ['<script', 'It could not change anything', 'class="mark"']) expect(html).not.toContain(part);
    expect(Buffer.byteLength(html)).toBeLessThan(20_000);
  });

  it('speaks Japanese', async () => {
    const { html } = await browser.open(address, { 'accept-language': 'ja' });
    expect(html).toContain('</bdi>があなたのアカウントへのアクセスを求めています');
    expect(html).toContain('許可しない');
  });

  it('marks what is new when a part was allowed before, and says when nothing can be changed', async () => {
    answer = { ...question, granted: ['read'] };
    const { html } = await browser.open(address);
    expect(html).toContain('a part of it before');
    expect(html.match(/class="mark"/g)).toHaveLength(1);
    expect(html).toMatch(/Change things in your name<\/strong> <span class="mark">/);
    answer = { ...question, granted: ['read', 'write'] };
    expect((await browser.open(address)).html).toContain('You have allowed this before.');
    answer = { ...question, scopes: ['read'] };
    const reading = await browser.open(address);
    expect(reading.html).toContain('It could not change anything.');
    expect(reading.html).not.toContain('Change things in your name');
  });

  it('says when the answer goes to an app or to a program on the same device', async () => {
    answer = { ...question, redirectUri: 'com.example.app:/callback' };
    expect((await browser.open(address)).html).toContain(
      'beginning with <strong class="code">com.example.app:</strong>',
    );
    answer = { ...question, redirectUri: 'http://127.0.0.1:51004/callback' };
    expect((await browser.open(address)).html).toContain('device, at <strong class="code">127.0.0.1:51004</strong>');
  });

  it('links no home page that is no web address', async () => {
    answer = { ...question, application: { ...question.application, homePage: 'javascript:alert(1)' } };
    expect((await browser.open(address)).html).not.toContain('javascript:');
  });

  it('lets its form lead to where applications of its kind are and nowhere else, in no frame, and is not stored', async () => {
    const policyOf = async (redirectUri: string) => {
      answer = { ...question, redirectUri };
      return (await browser.open(address)).headers.get('content-security-policy')!;
    };
    const { headers } = await browser.open(address);
    expect([headers.get('cache-control'), headers.get('x-frame-options')]).toEqual(['no-store', 'DENY']);
    expect(headers.get('access-control-allow-origin')).toBeNull();
    const policy = await policyOf(question.redirectUri);
    expect(policy).toContain("form-action 'self' https:;");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(await policyOf('com.example.app:/callback')).toContain("form-action 'self' com.example.app:;");
    expect(await policyOf("http://a;script-src'unsafe-inline'/")).toContain("form-action 'self';");
  });

  it('keeps its window tied to the one that opened it: applications ask in a window of their own', async () => {
    expect((await browser.open(address)).headers.get('cross-origin-opener-policy')).toBeNull();
  });

  it('lets another account be used, and comes back to the question', async () => {
    const { html, csrf } = await browser.open(address);
    expect(html).toContain(`name="to" value="${address.replaceAll('&', '&amp;')}"`);
    const out = await browser.send('/sign-out', { csrf, to: address });
    expect([out.status, out.headers.get('location'), browser.cookie()]).toEqual([303, address, undefined]);
  });
});

describe('the decision', () => {
  const decide = async (form: Record<string, string>, to = address) => {
    const { csrf } = await browser.open(address);
    asked = [];
    return browser.send(to, { csrf, ...form });
  };

  it.each(['allow', 'deny'])('%s is passed on with the question of the address, and leads back', async (decision) => {
    const { html } = await browser.open(address);
    expect(html).toContain(`<form action="${address.replaceAll('&', '&amp;')}" method="post">`);
    const { csrf } = await browser.open(address);
    asked = [];
    answer = { next: 'redirect', to: 'https://posters.example/callback?code=x' };
    const done = await browser.send(address, { csrf, decision, client_id: 'other' });
    expect([done.status, done.headers.get('location')]).toEqual([303, answer.to]);
    expect(done.headers.get('referrer-policy')).toBe('no-referrer');
    const given = { client_id: 'abc', state: '"><script>', scope: 'read write' };
    expect(asked).toEqual([{ query: { given, repeated: [] }, userId: 7, decision }]);
  });

  it.each(['', 'yes', 'Allow', 'allow ', 'true'])('%j is none', async (decision) => {
    expect((await decide({ decision })).status).toBe(400);
    expect(asked).toEqual([]);
  });

  it('is none when it is missing, said twice, or said in the address', async () => {
    expect((await decide({})).status).toBe(400);
    expect((await decide({}, `${address}&decision=allow`)).status).toBe(400);
    const { csrf } = await browser.open(address);
    asked = [];
    const twice = await fetch(url + address, {
      method: 'POST',
      headers: { cookie: `__Host-visit=${session}` },
      body: new URLSearchParams([
        ['csrf', csrf],
        ['decision', 'deny'],
        ['decision', 'allow'],
      ]),
    });
    expect(twice.status).toBe(400);
    expect(asked).toEqual([]);
  });

  it('counts from our own form only', async () => {
    const { csrf } = await browser.open(address);
    asked = [];
    expect((await browser.send(address, { decision: 'allow' })).status).toBe(403);
    expect((await browser.send(address, { decision: 'allow', csrf: csrf.slice(1) })).status).toBe(403);
    expect((await browser.send(`${address}&csrf=${csrf}`, { decision: 'allow' })).status).toBe(403);
    const json = await fetch(url + address, {
      method: 'POST',
      headers: { cookie: `__Host-visit=${session}`, 'content-type': 'application/json' },
      body: JSON.stringify({ given: { csrf, decision: 'allow' }, repeated: [] }),
    });
    expect(json.status).toBe(403);
    expect(asked).toEqual([]);
  });
});
