import type { Product } from '#contracts';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { type Browser, browse } from '../../testing/browse.js';
import { baseUrl, GatewayStack } from '../../testing/gateway-stack.js';
import { names, product, user } from '../../testing/shop-fixture.js';

let stack: GatewayStack;
let browser: Browser;
let listed: readonly Product[] = [];
let requested: unknown;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'products.list': (payload) => {
      requested = payload;
      return { products: listed, meta: { hasNext: false } };
    },
    'items.names': ({ language }: { language: string }) =>
      language === 'ja' ? { items: {}, colors: {}, sizes: {} } : names,
    'users.list': () => ({ users: [user()], meta: { hasNext: false } }),
    'users.show': ({ name }: { name: string }) => {
      if (name.toLowerCase() !== 'hanako') throw new DomainError(problems['user.not-found'], 'Unknown user.');
      return { ...user(), email: 'secret@example.com', createdAt: '2026-11-01 09:00:00 +0900' };
    },
  });
  browser = browse(await stack.gateway());
});
afterAll(() => stack.close());
beforeEach(() => {
  listed = [product(5)];
});

describe('feed of a creator', () => {
  it('lists the newest published products, with absolute addresses', async () => {
    const { status, headers, html } = await browser.open('/Hanako/feed.atom');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8']);
    expect(requested).toEqual({ viewerId: 0, limit: 24, offset: 0, userName: 'Hanako' });
    expect(html).toMatch(/^<\?xml version="1\.0" encoding="utf-8"\?>\n<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom"/);
    expect(html).toContain(`<link rel="self" type="application/atom+xml" href="${baseUrl}/Hanako/feed.atom"/>`);
    expect(html).toContain(`<author><name>花子</name><uri>${baseUrl}/Hanako</uri></author>`);
    expect(html).toContain(`<id>${baseUrl}/Hanako/7/t-shirt</id>\n<title>Lighthouse Standard T-shirt</title>`);
    expect(html.match(/<updated>.*?<\/updated>/g)).toEqual(
      Array.from({ length: 2 }, () => '<updated>2026-11-20T09:00:00.000Z</updated>'),
    );
    expect(html).toContain(`<link rel="alternate" type="text/html" href="${baseUrl}/Hanako/7/t-shirt/s/white"/>`);
    expect(html).toMatch(/<link rel="enclosure" type="image\/jpeg" href="https:[^"]*\.jpg\?h=abc&amp;printed=true"\/>/);
    expect(html).not.toContain('secret@example.com');
  });

  it('escapes texts once in titles and twice in content, and omits characters that XML excludes', async () => {
    listed = [product(5, {}, { title: `Fog & <i>'light'</i>`, description: 'a\u0001\ufffeb <script>&' })];
    const { html } = await browser.open('/Hanako/feed.atom');
    expect(html).toContain('<title>Fog &amp; &lt;i&gt;&#39;light&#39;&lt;/i&gt; Standard T-shirt</title>');
    expect(html).toContain('&lt;p&gt;ab &amp;lt;script&amp;gt;&amp;amp;&lt;/p&gt;');
  });

  it('is in the language of the request, may be cached, and is sent once', async () => {
    const { headers, html } = await browser.open('/Hanako/feed.atom', { 'accept-language': 'ja' });
    expect(html).toContain('xml:lang="ja"');
    expect(html).toContain('<title>Lighthouse スタンダードTシャツ</title>');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(headers.get('vary')).toContain('accept-language');
    const again = { 'accept-language': 'ja', 'if-none-match': headers.get('etag')! };
    expect((await browser.open('/Hanako/feed.atom', again)).status).toBe(304);
  });

  it('without products has the date of the account', async () => {
    listed = [];
    const { html } = await browser.open('/Hanako/feed.atom');
    expect(html).toContain('<updated>2026-11-01T00:00:00.000Z</updated>');
    expect(html).not.toContain('<entry>');
  });

  it('is linked from the page of the creator', async () => {
    const { html } = await browser.open('/Hanako');
    expect(html).toContain(
      `<link rel="alternate" type="application/atom+xml" title="Products by 花子" href="${baseUrl}/Hanako/feed.atom">`,
    );
  });

  it('redirects another case of the name, and is 404 for other names', async () => {
    const { status, headers } = await browser.open('/hanako/feed.atom');
    expect([status, headers.get('location')]).toEqual([301, '/Hanako/feed.atom']);
    for (const path of ['/unknown/feed.atom', '/un.known/feed.atom', '/account/feed.atom', '/%00/feed.atom'])
      expect([path, (await browser.open(path)).status]).toEqual([path, 404]);
  });
});
