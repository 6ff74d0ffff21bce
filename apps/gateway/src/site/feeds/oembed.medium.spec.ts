import { type PayloadOf, problems, type Services } from '#contracts';
import { DomainError } from '#kernel';
import { type Browser, browse } from '../../testing/browse.js';
import { baseUrl, GatewayStack } from '../../testing/gateway-stack.js';
import { names, product } from '../../testing/shop-fixture.js';

let stack: GatewayStack;
let browser: Browser;
let requested: unknown;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'products.find': (payload: PayloadOf<Services['catalog'], 'products.find'>) => {
      requested = payload;
      if (payload.materialId !== 7) throw new DomainError(problems['product.not-found'], 'Unknown product.');
      return { products: product(5), product: product(5) };
    },
    'products.list': () => ({ products: [], meta: { hasNext: false } }),
    'items.names': ({ language }: { language: string }) =>
      language === 'ja' ? { items: {}, colors: {}, sizes: {} } : names,
    'favorites.stamps': () => ({ totalCount: 0, stamps: [] }),
  });
  browser = browse(await stack.gateway({ IMAGE_SIZES: '323x323,765x765,1200x630' }));
});
afterAll(() => stack.close());

const page = `${baseUrl}/Hanako/7/t-shirt/s/white`;
const open = async (url: string, more = '', headers: Record<string, string> = {}) => {
  const accept = { accept: 'application/json', ...headers };
  const response = await browser.open(`/oembed?url=${encodeURIComponent(url)}${more}`, accept);
  return { ...response, body: JSON.parse(response.html || '{}') as Record<string, unknown> };
};

describe('oEmbed', () => {
  it('describes a product page as a photo', async () => {
    const { status, body, headers } = await open(`${page}?angle=back#size-s`, '&format=json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const variant = { size: 's', color: 'white' };
    expect(requested).toEqual({ viewerId: 0, userName: 'Hanako', materialId: 7, itemName: 't-shirt', variant });
    expect(body).toEqual({
      version: '1.0',
      type: 'photo',
      url: `${baseUrl}/images/v1/1200x630/t-shirt/s/white/front/7/1-2x2.png.jpg?h=abc&printed=true`,
      width: 1200,
      height: 630,
      title: 'Lighthouse Standard T-shirt',
      author_name: '花子',
      author_url: `${baseUrl}/Hanako`,
      provider_name: 'Storefront',
      provider_url: `${baseUrl}/`,
      cache_age: 300,
    });
  });

  it('is in the language of the request, may be cached, and is sent once', async () => {
    const { body, headers } = await open(page, '', { 'accept-language': 'ja' });
    expect(body.title).toBe('Lighthouse スタンダードTシャツ');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    const again = { 'accept-language': 'ja', 'if-none-match': headers.get('etag')! };
    expect((await open(page, '', again)).status).toBe(304);
  });

  it('accepts the address without a variant', async () => {
    expect((await open(`${baseUrl}/Hanako/7/t-shirt`)).status).toBe(200);
    expect(requested).toEqual({ viewerId: 0, userName: 'Hanako', materialId: 7, itemName: 't-shirt' });
  });

  it.each([
    ['&maxwidth=1199', 765, 765],
    ['&maxwidth=2000&maxheight=629', 323, 323],
    ['&maxheight=630', 1200, 630],
  ])('has an image within %s', async (limits, width, height) => {
    expect((await open(page, limits)).body).toMatchObject({ width, height });
  });

  it('is 404 if no image is small enough', async () => {
    expect(await open(page, '&maxwidth=322')).toMatchObject({ status: 404, body: { code: 'picture.not-found' } });
  });

  it.each([
    ...['', 'x', '/Hanako/7/t-shirt', `${baseUrl}/`, `${baseUrl}/Hanako`, `${baseUrl}/Hanako/8/t-shirt`],
    ...[`${page}/more`, `${baseUrl}/Hanako/7/t-shirt/s`, `${baseUrl}/Hanako/x/t-shirt`, `${baseUrl}/%00/7/t-shirt`],
    ...['http://shop.example.com/Hanako/7/t-shirt', 'https://shop.example.com.evil.example/Hanako/7/t-shirt'],
    ...['https://shop.example.com@evil.example/Hanako/7/t-shirt', 'javascript:/Hanako/7/t-shirt'],
  ])('is 404 for %s', async (url) => {
    expect(await open(url)).toMatchObject({ status: 404, body: { code: 'product.not-found' } });
  });

  it('rejects other formats, invalid limits and a missing URL', async () => {
    for (const format of ['xml', 'html']) {
      const { status, body } = await open(page, `&format=${format}`);
      expect([status, body.code]).toEqual([501, 'oembed.format-not-supported']);
    }
    expect(await open(page, '&maxwidth=0&maxheight=-1')).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'query.maxwidth' }, { path: 'query.maxheight' }] },
    });
    const { status, html } = await browser.open('/oembed', { accept: 'application/json' });
    expect([status, html.includes('query.url is required')]).toEqual([400, true]);
  });

  it('is linked from the product page', async () => {
    const { html } = await browser.open('/Hanako/7/t-shirt/s/white');
    const href = `${baseUrl}/oembed?format=json&amp;url=${encodeURIComponent(page)}`;
    expect(html).toContain(
      `<link rel="alternate" type="application/json+oembed" title="Lighthouse Standard T-shirt" href="${href}">`,
    );
  });
});
