import { GatewayStack, send } from '../testing/gateway-stack.js';

let stack: GatewayStack;
let url: string;

beforeAll(async () => {
  stack = await GatewayStack.start();
  url = await stack.gateway({ RATE_LIMITS: 'materials.create=7/60', MATERIAL_PRICE_MAX: '500' });
});
afterAll(() => stack.close());

describe('the documents over HTTP', () => {
  it('come as JSON with an entity tag, and as 304 to who has them', async () => {
    for (const [path, token] of [
      ['/api/v1/schema', 'reader'],
      ['/api/v1/openapi.json', undefined],
    ] as const) {
      const sent = token === undefined ? {} : { token };
      const { status, headers, body } = await send('GET', `${url}${path}`, sent);
      expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
      expect(headers.get('cache-control')).toContain('max-age=60');
      const etag = headers.get('etag')!;
      expect(etag).toMatch(/^"[\w-]+"$/);
      const again = await send('GET', `${url}${path}`, { ...sent, headers: { 'if-none-match': etag } });
      expect([again.status, again.body]).toEqual([304, '']);
      expect(body).toBeInstanceOf(Object);
    }
  });

  it('say what this installation is set to', async () => {
    const { body: hyper } = await send('GET', `${url}/api/v1/schema`, { token: 'reader' });
    const { body: open } = await send('GET', `${url}/api/v1/openapi.json`);
    const link = hyper.definitions.material.links.find((it: any) => it.title === 'Create');
    expect(link.ratelimit).toEqual({ period: 60, limit: 7 });
    expect(link.schema.properties.price.maximum).toBe(500);
    expect(hyper.links[0].href).toBe('https://shop.example.com/api/v1');
    expect(open.servers).toEqual([{ url: 'https://shop.example.com' }]);
  });

  it('need a token for the hyper-schema, and none for OpenAPI, from any origin', async () => {
    expect((await send('GET', `${url}/api/v1/schema`)).status).toBe(401);
    const { headers } = await send('GET', `${url}/api/v1/openapi.json`, { headers: { origin: 'https://a.example' } });
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('the pages for people', () => {
  it.each(['/docs', '/docs/'])('%s loads its own parts only, under a strict policy', async (path) => {
    const { status, headers, body } = await send('GET', `${url}${path}`);
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toContain('unsafe');
    expect(body).not.toMatch(/<script>|https?:/);
    const parts = [...body.matchAll(/<(?:script src|link rel="stylesheet" href)="(\/[^"]+)"/g)].map(([, part]) => part);
    expect(parts).toHaveLength(4);
    for (const part of parts) {
      const answer = await send('GET', `${url}${part}`);
      expect([answer.status, answer.headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
      expect(answer.headers.get('content-type')).toMatch(/^text\/(css|javascript); charset=utf-8$/);
      expect(answer.body).not.toBe('');
    }
  });

  it('show the document of this gateway', async () => {
    const { body } = await send('GET', `${url}/docs/start.js`);
    const [, path] = /url: '([^']+)'/.exec(body)!;
    expect(body).toContain('persistAuthorization: false');
    expect((await send('GET', `${url}${path}`)).body.openapi).toBe('3.1.0');
  });

  it('are not sent again to who has them, and are nothing else', async () => {
    const { headers } = await send('GET', `${url}/docs/swagger-ui.css`);
    const etag = headers.get('etag')!;
    const again = await send('GET', `${url}/docs/swagger-ui.css`, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    const unknown = await send('GET', `${url}/docs/package.json`);
    expect([unknown.status, unknown.body.code]).toEqual([404, 'request.not-found']);
  });
});
