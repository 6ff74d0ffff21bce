import { type Browser, browse } from '../../testing/browse.js';
import { baseUrl, GatewayStack } from '../../testing/gateway-stack.js';

let stack: GatewayStack;
let browser: Browser;

const product = {
  userName: 'Hanako',
  materialId: 7,
  itemName: 't-shirt',
  variant: { size: 's', color: 'white' },
  updatedAt: '2026-11-20T09:00:00.000Z',
};

beforeAll(async () => {
  stack = await GatewayStack.start({
    'sitemaps.list': () => ({ sitemaps: [1, 3] }),
    'sitemaps.get': ({ sitemap }: { sitemap: number }) =>
      sitemap === 3 ? { creators: ['Hanako'], products: [product] } : { creators: [], products: [] },
  });
  browser = browse(await stack.gateway());
});
afterAll(() => stack.close());

describe('the sitemap', () => {
  it('is an index of sitemaps, which robots.txt names', async () => {
    const { status, headers, html } = await browser.open('/sitemap.xml');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8']);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(html.match(/<loc>.*<\/loc>/g)).toEqual([
      `<loc>${baseUrl}/sitemap-1.xml</loc>`,
      `<loc>${baseUrl}/sitemap-3.xml</loc>`,
    ]);
    expect((await browser.open('/robots.txt')).html).toContain(`\nSitemap: ${baseUrl}/sitemap.xml\n`);
  });

  it('lists creators, and products with the date of their last change', async () => {
    const { status, html } = await browser.open('/sitemap-3.xml');
    expect(status).toBe(200);
    expect(html).toBe(`<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>${baseUrl}/Hanako</loc></url>
<url><loc>${baseUrl}/Hanako/7/t-shirt/s/white</loc><lastmod>2026-11-20T09:00:00.000Z</lastmod></url>
</urlset>
`);
  });

  it.each(['2', '0', '03', '-1', '1e3', '3.5', '', 'x', '%00', '99999999999999999999', '1000000001', '3.xml'])(
    'with the number %s is 404',
    async (number) => {
      expect((await browser.open(`/sitemap-${number}.xml`)).status).toBe(404);
    },
  );
});
