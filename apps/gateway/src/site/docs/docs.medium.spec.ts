import { GatewayStack, send } from '../../testing/gateway-stack.js';

let stack: GatewayStack;
let url: string;

beforeAll(async () => {
  stack = await GatewayStack.start();
  url = await stack.gateway({ RATE_LIMITS: 'materials.create=7/60', MATERIAL_PRICE_MAX: '500' });
});
afterAll(() => stack.close());

describe('the documents over HTTP', () => {
  it('are JSON with an entity tag, and return 304 if unchanged', async () => {
    for (const [path, token] of [
      ['/api/v1/schema', 'reader'],
      ['/api/v1/openapi.json', undefined],
    ] as const) {
      const options = token === undefined ? {} : { token };
      const { status, headers, body } = await send('GET', `${url}${path}`, options);
      expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
      expect(headers.get('cache-control')).toContain('max-age=60');
      const etag = headers.get('etag')!;
      expect(etag).toMatch(/^"[\w-]+"$/);
      const again = await send('GET', `${url}${path}`, { ...options, headers: { 'if-none-match': etag } });
      expect([again.status, again.body]).toEqual([304, '']);
      expect(body).toBeInstanceOf(Object);
    }
  });

  it('contain the settings of the installation', async () => {
    const { body: hyper } = await send('GET', `${url}/api/v1/schema`, { token: 'reader' });
    const { body: open } = await send('GET', `${url}/api/v1/openapi.json`);
    const link = hyper.definitions.material.links.find((it: any) => it.title === 'Create');
    expect(link.ratelimit).toEqual({ period: 60, limit: 7 });
    expect(link.schema.properties.price.maximum).toBe(500);
    expect(hyper.links[0].href).toBe('https://shop.example.com/api/v1');
    expect(open.servers).toEqual([{ url: 'https://shop.example.com' }]);
  });

  it('require a token for the hyper-schema, and none for OpenAPI, from any origin', async () => {
    expect((await send('GET', `${url}/api/v1/schema`)).status).toBe(401);
    const { headers } = await send('GET', `${url}/api/v1/openapi.json`, { headers: { origin: 'https://a.example' } });
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('the interactive documentation', () => {
  it.each(['/docs', '/docs/'])('%s loads only its own assets, under a strict content security policy', async (path) => {
    const { status, headers, body } = await send('GET', `${url}${path}`);
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain(
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self' https://shop.example.com; ",
    );
    expect(policy).not.toContain('unsafe');
    expect(body).not.toMatch(/<script>|https?:/);
    const assets = [...body.matchAll(/<(?:script defer src|link rel="stylesheet" href)="(\/[^"]+)"/g)].map(
      ([, path]) => path!,
    );
    expect(assets).toHaveLength(4);
    for (const asset of assets) {
      const response = await send('GET', `${url}${asset}`);
      expect([response.status, response.headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
      expect(response.headers.get('content-type')).toMatch(/^text\/(css|javascript); charset=utf-8$/);
      expect(response.body).not.toBe('');
    }
  });

  it('links the guide, the error codes and the OpenAPI document, with and without a script', async () => {
    for (const [language, title] of [
      ['en', 'API documentation'],
      ['ja', 'APIドキュメント'],
    ] as const) {
      const { body } = await send('GET', `${url}/docs`, { headers: { 'accept-language': language } });
      expect(body).toContain(`<h1>${title}</h1>`);
      for (const path of ['/applications', '/guide', '/problems', '/api/v1/openapi.json'])
        expect(body).toContain(`<li><a href="${path}">`);
      expect(body).toMatch(/<noscript><p [^>]*>.*JavaScript/);
    }
    const { body } = await send('GET', `${url}/docs`);
    const script = await send('GET', `${url}${/"(\/assets\/docs[^"]*)"/.exec(body)![1]}`);
    expect(script.body).toContain('persistAuthorization: false');
  });

  it('has a page for redirects of OAuth, with its script only', async () => {
    const { headers, body } = await send('GET', `${url}/docs/oauth2-redirect.html`);
    expect(body).toContain('src="oauth2-redirect.js"');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
  });

  it('returns 304 if unchanged, and 404 for other files', async () => {
    const { headers } = await send('GET', `${url}/docs/swagger-ui.css`);
    const etag = headers.get('etag')!;
    const again = await send('GET', `${url}/docs/swagger-ui.css`, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    const unknown = await send('GET', `${url}/docs/package.json`);
    expect([unknown.status, unknown.body.code]).toEqual([404, 'request.not-found']);
  });
});
