import { request } from 'node:http';
import { pathToFileURL } from 'node:url';
import {
  type LinkedBanner,
  type PayloadOf,
  type Product,
  externalImageKey,
  externalImagePath,
  type Promotion,
  problems,
  type Services,
} from '#contracts';
import { DomainError } from '#kernel';
import { openBlobStore } from '#storage';
import { eventually } from '#testing';
import { type Browser, browse } from '../../testing/browse.js';
import { baseUrl, GatewayStack } from '../../testing/gateway-stack.js';
import { frontHandlers, names, product, user, variants } from '../../testing/shop-fixture.js';

type Catalog = Services['catalog'];

let stack: GatewayStack;
let url: string;
let browser: Browser;
const japanese = { 'accept-language': 'ja' };

/** Recorded calls of the services. */
const calls: { name: string; payload: Record<string, unknown> }[] = [];
const lastPayload = (name: string) => calls.filter((it) => it.name === name).at(-1)?.payload;

let listed: readonly Product[] = [];
let onSale: readonly Product[] = [];
let promotions: readonly Promotion[] = [];
let banners: readonly LinkedBanner[] = [];
/** Whether the other host has the images of banners. */
let isFetchable = false;
let hasNext = false;
let creator = user();
let isSocialDown = false;
const list = (name: string) => (payload: Record<string, unknown>) => {
  calls.push({ name, payload });
  return { products: listed, meta: { hasNext } };
};

/** The product at the requested address. Visible to its owner only (user 1) when it is hidden. */
let shown = product(5);
function find(payload: PayloadOf<Catalog, 'products.find'>) {
  calls.push({ name: 'products.find', payload });
  const { viewerId, userName, materialId, itemName, variant } = payload;
  const found = variant
    ? variants.find((it) => it.size.name === variant.size && it.color.name === variant.color)
    : variants[0];
  const exists = userName.toLowerCase() === 'hanako' && materialId === 7 && itemName === 't-shirt' && found;
  if (!exists || (!shown.published && viewerId !== 1))
    throw new DomainError(problems['product.not-found'], 'Unknown product.');
  const page = `${baseUrl}/Hanako/7/t-shirt/${found.size.name}/${found.color.name}`;
  const result = { ...shown, sampleItemVariant: found, sampleUrl: page };
  return { products: result, product: result, representativeVariantId: 1 };
}

const session = 's'.repeat(43);
const hanako = { id: 1, name: 'Hanako', displayName: '花子', email: 'h@example.com', hasPassword: true };

beforeAll(async () => {
  stack = await GatewayStack.start({
    ...frontHandlers,
    'products.list': list('products.list'),
    'products.newest': list('products.newest'),
    'products.search': list('products.search'),
    'products.on-sale': (payload: Record<string, unknown>) => {
      calls.push({ name: 'products.on-sale', payload });
      return { products: onSale, meta: { hasNext } };
    },
    'promotions.list': () => ({ promotions }),
    'banners.list': ({ withLinks }: { withLinks?: boolean }) => ({ banners: withLinks ? banners : [] }),
    'external-images.store': (payload: Record<string, unknown>) => {
      calls.push({ name: 'external-images.store', payload });
      if (!isFetchable) throw new DomainError(problems['picture.not-found'], 'Unknown image.');
      return { key: 'x' };
    },
    'products.find': find,
    'favorites.stamps': () => {
      if (isSocialDown) throw new DomainError(problems['service.unavailable'], 'Down.');
      return {
        totalCount: 1_234,
        stamps: [
          { x: 0.25, y: 0.5, rotation: -30, count: 1 },
          { x: 1, y: 0, rotation: 7, count: 1_233 },
        ],
      };
    },
    'favorites.own': () => ({ productIds: [] }),
    'choices.list': () => ({ choices: [], meta: { hasNext } }),
    'users.list': ({ name }: { name: string }) => ({
      users: name === 'Hanako' ? [creator] : [],
      meta: { hasNext: false },
    }),
    'users.show': ({ name }: { name: string }) => {
      if (name.toLowerCase() !== 'hanako') throw new DomainError(problems['user.not-found'], 'Unknown user.');
      return { ...user(), email: 'secret@example.com', createdAt: '2026-11-20T00:00:00.000Z' };
    },
    'sessions.show': (it: { session: string }) =>
      it.session === session ? { active: true, user: hanako } : { active: false },
  });
  url = await stack.gateway();
  browser = browse(url);
});
afterAll(() => stack.close());
beforeEach(() => {
  browser.clearCookies();
  calls.length = 0;
  [listed, hasNext, shown, isSocialDown] = [[product(5)], false, product(5), false];
  [onSale, promotions, banners] = [[], [], []];
  creator = user();
});

const linksOf = (html: string): string[] => [...html.matchAll(/<a[^>]* href="([^"]*)"/g)].map(([, path]) => path!);
const statusOf = async (path: string) => (await browser.open(path)).status;

describe('front page', () => {
  it('shows the newest products to anonymous users: no cookie, storable, sent once', async () => {
    const { status, html, headers } = await browser.open('/');
    expect([status, lastPayload('products.newest')]).toEqual([200, { limit: 24, offset: 0 }]);
    expect(html).toContain('<span class="title">Lighthouse</span>');
    expect(linksOf(html)).toContain('/Hanako/7/t-shirt/s/white');
    expect(html).toContain(
      'srcset="/images/v1/323x323/t-shirt/s/white/front/7/1-2x2.png.webp?h=abc&amp;printed=true 323w, ',
    );
    expect([headers.get('cache-control'), headers.get('set-cookie')]).toEqual(['private, no-cache', null]);
    const again = await browser.open('/', { 'if-none-match': headers.get('etag')! });
    expect([again.status, again.html]).toEqual([304, '']);
  });

  it('is not stored for a signed-in user', async () => {
    browser.setSession(session);
    const { headers } = await browser.open('/');
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', null]);
  });

  it('shows item names in the language of the page, and escapes texts of users', async () => {
    listed = [product(5, {}, { title: '<script>alert(1)</script>' })];
    const { html } = await browser.open('/');
    expect(html).toContain('<span class="title">&lt;script&gt;alert(1)&lt;/script&gt;</span>');
    expect(html).not.toContain('<script');
    expect(html).toContain('Standard T-shirt');
  });

  it('loads nothing from other sites, and responds to HEAD', async () => {
    const { html } = await browser.open('/');
    expect(html).not.toContain('elsewhere.example.com');
    const head = await fetch(`${url}/`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('shows a hint when there are no products', async () => {
    listed = [];
    expect((await browser.open('/')).html).toContain('There are no products yet.');
  });

  it('shows products on sale above the newest products, each id once', async () => {
    expect((await browser.open('/')).html).not.toContain('On sale');
    onSale = [product(5, { discountedPriceWithTax: 2_200 })];
    const { html } = await browser.open('/');
    expect(lastPayload('products.on-sale')).toEqual({ viewerId: 0, limit: 4, offset: 0 });
    const [sale, newest] = html.split('<h1>');
    expect(sale).toContain('<strong class="sale">¥2,200</strong>');
    expect(newest).not.toContain('¥2,200');
    expect([sale!.match(/ id="product-5"/g), newest!.match(/ id="product-5"/g)]).toEqual([[' id="product-5"'], null]);
  });

  it('links to the other products on sale', async () => {
    onSale = [product(5, { discountedPriceWithTax: 2_200 })];
    expect(linksOf((await browser.open('/')).html)).not.toContain('/search?sale=yes');
    hasNext = true;
    expect(linksOf((await browser.open('/')).html)).toContain('/search?sale=yes');
    const { html } = await browser.open('/search?sale=yes&offset=24');
    expect(lastPayload('products.on-sale')).toEqual({ viewerId: 0, limit: 24, offset: 24 });
    expect(html).toContain('<h1>On sale</h1>');
    expect(html).toContain('rel="next" href="/search?sale=yes&amp;offset=48"');
  });

  it('links promotions and banners, escaped, and shows banners of its own origin, and copies of others', async () => {
    const elsewhere = `${baseUrl}.example.org/sale`;
    promotions = [
      { id: 1, name: '<b>Sea</b>', category: 'theme', url: `${baseUrl}/Hanako?a=b&c` },
      { id: 2, name: 'Elsewhere', category: 'theme', url: elsewhere },
    ];
    banners = [
      { id: 1, displaySize: 'large', imageUrl: 'https://elsewhere.example.com/1.png' },
      {
        id: 2,
        displaySize: 'large',
        imageUrl: `${baseUrl}/images/1.png?h=a&v=2`,
        altText: '<Sea>',
        linkUrl: elsewhere,
      },
    ];
    const [{ id, imageUrl }] = banners as [LinkedBanner];
    const copy = externalImageKey({ userId: 0, kind: 'banner', id, url: imageUrl });
    await openBlobStore(pathToFileURL(stack.folder).href).put(copy, Buffer.from('x'));
    const { html } = await browser.open('/');
    expect(html).toContain('<a href="/Hanako?a=b&amp;c">&lt;b&gt;Sea&lt;/b&gt;</a>');
    expect(html).toContain(`<a href="${elsewhere}">`);
    expect([...html.matchAll(/<img class="banner" src="([^"]*)"/g)].map(([, src]) => src)).toEqual([
      externalImagePath({ userId: 0, kind: 'banner', id: 1, url: banners[0]!.imageUrl }),
      '/images/1.png?h=a&amp;v=2',
    ]);
    expect(html).not.toContain('elsewhere.example.com');
    expect(html).toContain('alt="&lt;Sea&gt;"');
    expect(linksOf(html).filter((href) => href === elsewhere)).toHaveLength(2);
  });

  it('shows no banner without a copy of its image, requests the copy once, and shows it', async () => {
    isFetchable = true;
    banners = [{ id: 3, displaySize: 'large', imageUrl: 'https://elsewhere.example.com/3.png' }];
    expect((await browser.open('/')).html).not.toContain('class="banner"');
    await eventually('the banner', async () => (await browser.open('/')).html.includes('class="banner"'));
    const request = { userId: 0, kind: 'banner', id: 3, url: banners[0]!.imageUrl };
    expect(calls.filter(({ name }) => name === 'external-images.store')).toEqual([
      { name: 'external-images.store', payload: request },
    ]);
    isFetchable = false;
    banners = [{ id: 5, displaySize: 'large', imageUrl: 'https://elsewhere.example.com/5.png' }];
    for (const path of ['/', '/', '/']) expect((await browser.open(path)).html).not.toContain('class="banner"');
    expect(calls.filter(({ name }) => name === 'external-images.store')).toHaveLength(2);
  });

  it('shows promotions, banners and sales on the first page only', async () => {
    promotions = [{ id: 1, name: 'Sea', category: 'theme', url: baseUrl }];
    expect((await browser.open('/?offset=24')).html).not.toContain('Promotion');
    expect(lastPayload('products.on-sale')).toBeUndefined();
  });

  it('links the items of each category, without items that have no images', async () => {
    const { html } = await browser.open('/');
    const searches = linksOf(html).filter((path) => path.startsWith('/search'));
    expect(searches).toEqual(['/search?item=t-shirt', '/search?item=mug']);
    expect([...html.matchAll(/<summary><img src="([^"]*)"[^>]*>([^<]*)/g)].map((it) => it.slice(1))).toEqual([
      ['/icons/t-shirt.svg', 'Clothes'],
      ['/icons/mug.svg', 'Kitchen'],
    ]);
    expect(html).not.toContain('embroidery');
  });

  it('shows the demo account on the machine itself only', async () => {
    const DEMO_ACCOUNT = 'demo:a:secret';
    const open = await stack.gateway({ DEMO_ACCOUNT, HOST: '127.0.0.1' });
    expect((await browse(open).open('/')).html).not.toContain('a:secret');
    const own = await stack.gateway({ DEMO_ACCOUNT, HOST: '127.0.0.1', BASE_URL: 'http://localhost:3000' });
    const { html, headers } = await browse(own).open('/');
    expect(html).toContain('name <code>demo</code>, password <code>a:secret</code>');
    for (const path of ['/docs', '/applications', '/sign-in?to=/applications']) expect(linksOf(html)).toContain(path);
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('malformed address', () => {
  /** Sends the request target unchanged; `fetch` would normalize it. */
  const statusFor = (path: string, method = 'GET') =>
    new Promise<number>((resolve, reject) => {
      const { hostname, port } = new URL(url);
      const sent = request({ hostname, port, path, method, headers: { accept: 'text/html' } }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode!));
      });
      sent.on('error', reject).end();
    });

  it.each([
    ...['//', '//?offset=1', '/\\', '/\\?offset=1', '/%', '/?offset=%', '/%?offset=1', '//[', '//search?q=a', '///'],
    ...['http://evil.example/', 'http://evil.example//?offset=1', 'http://evil.example', 'http://[', '*'],
    ...[
      '//account',
      '/.//account',
      '//sign-in?to=//evil.example',
      '/search?q=%ED%A0%80',
      '/Hanako//',
      '//Hanako?offset=1',
    ],
  ])('causes no server error: %s', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST'])
      expect([method, (await statusFor(path, method)) < 500]).toEqual([method, true]);
  });
});

describe('list of products', () => {
  it('links to the previous and next page', async () => {
    hasNext = true;
    const { html } = await browser.open('/search?q=red%20%26%20blue&offset=24');
    expect(lastPayload('products.search')).toEqual({ viewerId: 0, limit: 24, offset: 24, q: 'red & blue' });
    expect(html).toContain('rel="prev" href="/search?q=red%20%26%20blue"');
    expect(html).toContain('rel="next" href="/search?q=red%20%26%20blue&amp;offset=48"');
    expect((await browser.open('/?offset=24')).html).toContain('rel="next" href="/?offset=48"');
    expect((await browser.open('/Hanako')).html).toContain('rel="next" href="/Hanako?offset=24"');
    hasNext = false;
    expect((await browser.open('/search?q=a')).html).not.toContain('class="pager"');
  });

  it.each([
    [1, false, '1 product', '1点の商品'],
    [24, false, '24 products', '24点の商品'],
    [24, true, 'More than 24 products', '24点を超える商品'],
  ])('states the number of %i products, more: %s', async (count, more, english, words) => {
    [listed, hasNext] = [Array.from({ length: count }, (_, at) => product(at + 1)), more];
    expect((await browser.open('/search?q=a')).html).toContain(`>${english} · Newest first<`);
    expect((await browser.open('/search?q=a', japanese)).html).toContain(`>${words} · 新着順<`);
  });

  it('states the number of products up to the end of a later page', async () => {
    hasNext = true;
    expect((await browser.open('/search?q=a&offset=24')).html).toContain('>More than 25 products · Newest first<');
  });

  it.each([
    ['/?offset=24', '/'],
    ['/search?offset=48&q=red+%26+blue', '/search?q=red+%26+blue'],
    ['/Hanako?offset=24', '/Hanako'],
  ])('%s redirects from an empty page to the first one', async (path, first) => {
    listed = [];
    const { status, headers } = await browser.open(path);
    expect([status, headers.get('location')]).toEqual([303, first]);
  });

  it.each(['/', '/search', '/Hanako'])('%s rejects an invalid offset with a page', async (path) => {
    const { status, html } = await browser.open(`${path}?offset=minus`);
    expect([status, html.includes('This address is not valid')]).toEqual([400, true]);
  });
});

describe('search', () => {
  it('shows the search text in its field, escaped', async () => {
    const { html } = await browser.open(`/search?q=${encodeURIComponent('"><b>猫')}`);
    expect(html).toContain('value="&quot;&gt;&lt;b&gt;猫"');
    expect(html).not.toContain('<b>猫');
    expect(html).toContain('<meta name="robots" content="noindex">');
  });

  it('links the items of each category with the search text, also when nothing was found', async () => {
    listed = [];
    const { html } = await browser.open('/search?q=a%26b');
    expect(html).toContain('No results for “a&amp;b”.');
    expect(linksOf(html)).toContain('/search?q=a%26b&amp;item=t-shirt');
    expect(html).not.toContain('Show all items');
  });

  it('shows the products of one item', async () => {
    hasNext = true;
    const { html } = await browser.open('/search?q=sea&item=mug');
    expect(lastPayload('products.search')).toEqual({ viewerId: 0, limit: 24, offset: 0, q: 'sea', itemId: 3 });
    expect(html).toContain('<h1>Results for “sea” in Mug</h1>');
    expect(html.match(/<details name="category" open>/g)).toHaveLength(1);
    expect(html).toContain('<a href="/search?q=sea&amp;item=mug" aria-current="true">Mug</a>');
    expect(linksOf(html)).toContain('/search?q=sea');
    expect(html).toContain('rel="next" href="/search?q=sea&amp;item=mug&amp;offset=24"');
    expect((await browser.open('/search?item=mug')).html).toContain('<h1>Mug</h1>');
  });

  it('keeps the item in the search form of the header', async () => {
    const field = /<form class="search"[^]*?<input type="hidden" name="item" value="([^"]*)">[^]*?<\/form>/;
    expect(field.exec((await browser.open('/search?q=sea&item=mug')).html)?.[1]).toBe('mug');
    for (const path of ['/', '/search?q=sea']) expect((await browser.open(path)).html).not.toMatch(field);
  });

  it.each(['unknown', 'embroidery-t-shirt', '%00'])('rejects the item %s with a page', async (item) => {
    const { status, html } = await browser.open(`/search?item=${item}`);
    expect([status, html.includes('This address is not valid')]).toEqual([400, true]);
    expect(lastPayload('products.search')).toBeUndefined();
  });

  it.each([['a'.repeat(101)], ['%00'], ['%ED%A0%80'.repeat(40)]])('shows an error page for %s', async (q) => {
    const { status, html } = await browser.open(`/search?q=${q}`);
    expect([status, html.includes('role="alert"')]).toEqual([400, true]);
    expect(lastPayload('products.search')).toBeUndefined();
  });
});

describe('page of a creator', () => {
  it('shows the profile and the products', async () => {
    const { status, html } = await browser.open('/Hanako');
    expect([status, lastPayload('products.list')]).toEqual([
      200,
      { viewerId: 0, limit: 24, offset: 0, userName: 'Hanako' },
    ]);
    expect(html).toContain('Official');
    expect(html).toContain('I draw &lt;b&gt;cats&lt;/b&gt;.');
    expect(html).toContain('rel="nofollow ugc noopener" href="https://hanako.example.com/"');
    expect(html).toContain(`<link rel="canonical" href="${baseUrl}/Hanako">`);
    expect(html).not.toContain('elsewhere.example.com');
  });

  it('without products tells the creator what appears there, and others that there are none', async () => {
    listed = [];
    expect((await browser.open('/Hanako')).html).toContain('<p>No published products yet.</p>');
    browser.setSession(session);
    const { html } = await browser.open('/Hanako');
    expect(html).toContain('<p>Your products appear here once they are published.</p>');
    expect(html).not.toContain('No published products yet.');
    expect((await browser.open('/Hanako', japanese)).html).toContain('<p>公開した商品がここに表示されます。</p>');
  });

  it('shows copies of avatar and header at addresses of its own, with the initial', async () => {
    const headerUrl = 'https://elsewhere.example.com/header.png';
    creator = user({ profile: { url: null, body: null, headerUrl } });
    const { html } = await browser.open('/Hanako');
    const avatar = externalImagePath({ userId: 1, kind: 'avatar', id: 1, url: creator.avatarUrl! });
    expect(html).toContain(`<img src="${avatar}" width="96" height="96" alt="" data-fallback="花"`);
    const header = externalImagePath({ userId: 1, kind: 'header', id: 1, url: headerUrl });
    expect(html).toContain(`<img class="banner" src="${header}"`);
    expect(html).not.toContain('elsewhere.example.com');
  });

  it('shows the initial without an avatar, and no header without one', async () => {
    creator = user({ avatarUrl: null });
    const { html } = await browser.open('/Hanako');
    expect(html).toContain('<span class="avatar" aria-hidden="true">花</span>');
    expect(html).not.toContain('class="banner"');
  });

  it('redirects another case of the name to the canonical address', async () => {
    const { status, headers, html } = await browser.open('/hanako?offset=24');
    expect([status, headers.get('location'), html]).toEqual([301, '/Hanako?offset=24', '']);
  });

  it('returns 404 for an unknown or malformed name', async () => {
    for (const path of ['/unknown', '/un.known', '/%00', `/${'a'.repeat(51)}`, '/%E7%8C%AB']) {
      const page = await browser.open(path);
      expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8']);
      const document = await browser.open(path, { accept: 'application/json' });
      expect((JSON.parse(document.html) as { code: string }).code).toBe('request.not-found');
    }
  });
});

describe('names and titles stored before their validation', () => {
  const owner = { ...product(5).material.user, displayName: '\u202eOther\u200b\nShop' };
  const title = 'Light\u202ehouse\u200b';

  it('are shown without invisible and bidirectional characters, with the user name', async () => {
    shown = product(5, {}, { title, user: owner });
    listed = [shown];
    for (const path of ['/', '/Hanako/7/t-shirt/s/white']) {
      const { html } = await browser.open(path);
      expect(html).toContain('<bdi>by Other Shop</bdi>');
      expect(html).toContain('@Hanako');
      expect(html).toContain('Lighthouse');
      expect(html).not.toMatch(/\p{Cf}/u);
    }
  });

  it('are shown once if the user has no display name', async () => {
    shown = product(5, {}, { user: { ...owner, displayName: null } });
    listed = [shown];
    for (const path of ['/', '/Hanako/7/t-shirt/s/white']) {
      const { html } = await browser.open(path);
      expect([path, html.includes('<bdi>by Hanako</bdi>'), html.includes('@Hanako')]).toEqual([path, true, false]);
    }
  });

  it('are replaced by the user name when they have no visible character', async () => {
    listed = [product(5, {}, { user: { ...owner, displayName: '\u202e \u3164' } })];
    expect((await browser.open('/')).html).toContain('<bdi>by Hanako</bdi>');
    creator = user({ displayName: '\u2066\u200b' });
    const { html } = await browser.open('/Hanako');
    expect(html).toContain('<bdi>Hanako</bdi>');
    creator = user(owner);
    expect((await browser.open('/Hanako')).html).not.toMatch(/\p{Cf}/u);
  });
});

describe('page of a product', () => {
  it('links to all lists of a user who has more than the field offers', async () => {
    browser.setSession(session);
    const path = '/Hanako/7/t-shirt/m/navy';
    const allLists = '/choices?product=5&amp;variant=3';
    expect(linksOf((await browser.open(path)).html)).not.toContain(allLists);
    hasNext = true;
    expect(linksOf((await browser.open(path)).html)).toContain(allLists);
  });

  it('shows the variant of its address, with image, price, creator and description', async () => {
    shown = product(5, {}, { description: 'Fog &\n<i>light</i>' });
    const { status, html } = await browser.open('/Hanako/7/t-shirt/s/white');
    expect(status).toBe(200);
    const key = { viewerId: 0, userName: 'Hanako', materialId: 7, itemName: 't-shirt' };
    expect(lastPayload('products.find')).toEqual({ ...key, variant: { size: 's', color: 'white' } });
    expect(html).toContain('<h1>Lighthouse Standard T-shirt</h1>');
    expect(html).toContain('¥2,750');
    expect(html).toContain('Fog &amp;\n&lt;i&gt;light&lt;/i&gt;');
    expect(linksOf(html)).toContain('/Hanako');
    const [main] = /<img[^>]*fetchpriority="high">/.exec(html)!;
    expect(main).toMatch(/ width="323" height="323" alt="Lighthouse Standard T-shirt, White, Front"/);
    expect(main).not.toContain('lazy');
    expect(html.match(/<img/g)!.length - 1).toBe(html.match(/loading="lazy"/g)!.length);
  });

  it('uses the names of the API in Japanese', async () => {
    stack.handlers['items.names'] = ({ language }: { language: string }) =>
      language === 'ja' ? { items: {}, colors: {}, sizes: {} } : names;
    const { html } = await browser.open('/Hanako/7/t-shirt/s/white', japanese);
    expect(html).toContain('<h1>Lighthouse スタンダード\u200bTシャツ</h1>');
    expect(html).toContain('￥2,750');
    expect(html).toContain('ネイビー');
  });

  it('links to each color, in the same size if available, and to the sizes of this color, with the angle', async () => {
    const { html } = await browser.open('/Hanako/7/t-shirt/s/white?angle=back');
    const links = linksOf(html).filter((path) => path.startsWith('/Hanako/7/t-shirt/'));
    expect(links.slice(0, 2)).toEqual([
      '/Hanako/7/t-shirt/s/white#angle-front',
      '/Hanako/7/t-shirt/s/white?angle=back#angle-back',
    ]);
    expect(links.slice(2, 6)).toEqual([
      '/Hanako/7/t-shirt/s/white?angle=back#color-white',
      '/Hanako/7/t-shirt/m/navy?angle=back#color-navy',
      '/Hanako/7/t-shirt/s/white?angle=back#size-s',
      '/Hanako/7/t-shirt/m/white?angle=back#size-m',
    ]);
    expect(html).toContain('<a id="color-navy"');
    expect(html).toContain('/t-shirt/s/white/back/7/1-2x2.png.webp');
    const navy = linksOf((await browser.open('/Hanako/7/t-shirt/m/navy')).html);
    expect(navy).toContain('/Hanako/7/t-shirt/m/white#color-white');
    expect(navy.filter((path) => path.includes('/s/navy'))).toEqual([]);
  });

  it('ignores an unknown angle', async () => {
    const { status, html } = await browser.open('/Hanako/7/t-shirt/s/white?angle=%22%3E&angle=top');
    expect(status).toBe(200);
    expect(linksOf(html)).toContain('/Hanako/7/t-shirt/m/white#size-m');
  });

  it('has structured data with the price of the variant, which cannot end its element', async () => {
    shown = product(5, { discountedPriceWithTax: 2_000 }, { description: '</script><b>' });
    const { html } = await browser.open('/Hanako/7/t-shirt/m/navy');
    const [, json] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html)!;
    expect(JSON.parse(json!)).toMatchObject({
      '@type': 'Product',
      name: 'Lighthouse Standard T-shirt',
      description: '</script><b>',
      color: 'Navy',
      offers: { price: 2_000, priceCurrency: 'JPY', url: 'https://shop.example.com/Hanako/7/t-shirt/m/navy' },
    });
  });

  it('shows the stamps at their positions and the number of favorites', async () => {
    const { html } = await browser.open('/Hanako/7/t-shirt/s/white');
    expect(html).toContain('<use href="#stamp" transform="translate(250 500) rotate(-30)"/>');
    expect(html).toContain('<use href="#stamp" transform="translate(966 34) rotate(7)"/>');
    expect(html).toContain('1,234 favorites');
    expect(html).not.toContain(' style=');
  });

  it('is shown without favorites while the social service is down', async () => {
    isSocialDown = true;
    const { status, html } = await browser.open('/Hanako/7/t-shirt/s/white');
    expect([status, html.includes('Lighthouse Standard T-shirt')]).toEqual([200, true]);
    expect(html).not.toMatch(/<use|<p>[^<]*favorites|null/);
  });

  it('shows the sale price and the regular price during a sale', async () => {
    shown = product(5, { discountedPriceWithTax: 2_200 });
    const { html } = await browser.open('/Hanako/7/t-shirt/s/white');
    expect(html).toContain('<span class="visually-hidden">Regular price </span><s>¥2,750</s>');
    expect(html).toContain('<strong class="sale">¥2,200</strong>');
  });

  it('has the address of the representative variant for search engines, and its own for link previews', async () => {
    const { html } = await browser.open('/Hanako/7/t-shirt/m/navy?angle=back');
    expect(html).toContain(`<link rel="canonical" href="${baseUrl}/Hanako/7/t-shirt/s/white">`);
    expect(html).toContain(`<meta property="og:url" content="${baseUrl}/Hanako/7/t-shirt/m/navy">`);
    expect(html).toContain(
      `<meta property="og:image" content="${baseUrl}/images/v1/1530x1530/t-shirt/m/navy/back/7/1-2x2.png.jpg?h=abc&amp;printed=true">`,
    );
    expect(html).toContain('<meta property="og:title" content="Lighthouse Standard T-shirt">');
    expect(html).not.toContain('name="robots"');
  });

  it('redirects to the sample variant without one, and from the URL template of the API', async () => {
    for (const path of ['/Hanako/7/t-shirt', '/hanako/7/t-shirt/', '/Hanako/7/t-shirt/%7Bsize%7D/%7Bcolor%7D']) {
      const { status, headers } = await browser.open(path);
      expect([path, status, headers.get('location')]).toEqual([path, 303, '/Hanako/7/t-shirt/s/white']);
    }
    const { status, headers } = await browser.open('/HANAKO/7/t-shirt/m/navy?angle=back');
    expect([status, headers.get('location')]).toEqual([301, '/Hanako/7/t-shirt/m/navy?angle=back']);
  });

  it('returns 404 for an unknown variant or a wrong address', async () => {
    for (const path of ['s/navy', 's/pink', '%00/white', 's/white/x'])
      expect(await statusOf(`/Hanako/7/t-shirt/${path}`)).toBe(404);
    for (const path of ['/Hanako/8/t-shirt', '/Hanako/x/t-shirt', '/Hanako/7/mug', '/taro/7/t-shirt', '/Hanako/7'])
      expect([path, await statusOf(path)]).toEqual([path, 404]);
  });

  it('is shown to its owner only, with a note, when it is not published', async () => {
    shown = product(5, { published: false });
    expect(await statusOf('/Hanako/7/t-shirt/s/white')).toBe(404);
    browser.setSession(session);
    const { status, html } = await browser.open('/Hanako/7/t-shirt/s/white');
    expect([status, html.includes('This product is not published.')]).toEqual([200, true]);
    expect(html).toContain('<meta name="robots" content="noindex">');
  });

  it('shows other products of the same material, without itself', async () => {
    listed = [product(5), product(6, { sampleUrl: `${baseUrl}/Hanako/7/mug/360ml/white` })];
    const { html } = await browser.open('/Hanako/7/t-shirt/s/white');
    expect(lastPayload('products.list')).toMatchObject({ viewerId: 0, materialId: 7 });
    expect(linksOf(html)).toContain('/Hanako/7/mug/360ml/white');
    expect(html.match(/class="product"/g)).toHaveLength(1);
  });
});

describe('routes of other modules', () => {
  it('are not shadowed by the routes of the shop', async () => {
    for (const [path, status, code] of [
      ['/api/v1/choices/5/remove', 405, 'request.method-not-allowed'],
      ['/api/v1/no/such/thing', 404, 'request.not-found'],
      ['/api', 404, 'request.not-found'],
      ['/images/v1/a/b/c', 404, undefined],
    ] as const) {
      const response = await browser.open(path, { accept: 'application/json' });
      expect([path, response.status]).toEqual([path, status]);
      const body = JSON.parse(response.html) as { code: string };
      if (code !== undefined) expect(body.code).toBe(code);
    }
    expect(await statusOf('/docs')).toBe(200);
    expect((await fetch(`${url}/Hanako`, { method: 'POST' })).status).toBe(404);
  });
});
