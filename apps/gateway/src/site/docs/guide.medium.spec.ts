import { browse } from '../../testing/browse.js';
import { GatewayStack } from '../../testing/gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => {
  stack = await GatewayStack.start();
});
afterAll(() => stack.close());

describe('the guide for clients', () => {
  it('is a page in the frame of the site, with its own examples and links that all have a target', async () => {
    const browser = browse(await stack.gateway({ BASE_URL: 'https://example.com/shop' }));
    const { status, html } = await browser.open('/guide', { 'accept-language': 'ja' });
    expect([status, html.includes('<html lang="ja">')]).toEqual([200, true]);
    expect(html).toContain('<div class="guide" lang="en">');
    expect(html).toContain('BASE=https://example.com/shop');
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!);
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...html.matchAll(/ href="([^"]*)"/g)].map(([, link]) => link!);
    expect(links.filter((it) => it.startsWith('#') && !ids.includes(it.slice(1)))).toEqual([]);
    const files = links.filter((it) => it.startsWith('/shop/guide/'));
    expect(files.length).toBeGreaterThan(8);
    for (const path of files) {
      const file = await browser.open(path.slice('/shop'.length));
      const type = file.headers.get('content-type');
      expect([path, file.status, type]).toEqual([path, 200, 'text/plain; charset=utf-8']);
    }
  });

  it('has no other files', async () => {
    const browser = browse(await stack.gateway());
    for (const name of ['clients.md', '..%2fclients.md', 'oauth', 'toString'])
      expect((await browser.open(`/guide/${name}`)).status).toBe(404);
  });
});
