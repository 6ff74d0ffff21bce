import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { RawReply } from '#request-queue';
import { type TestResponse, baseUrl, GatewayStack, send, type SendOptions } from '../testing/gateway-stack.js';
import { RawClient } from '../testing/raw-client.js';

/** Payload of a request to a service: only the fields that these tests read. */
interface Payload {
  readonly offset: number;
  readonly idempotency: { readonly key: string; readonly fingerprint: string };
}

let received: Record<string, Payload[]> = {};
const items = JSON.stringify({ items: Array.from({ length: 200 }, (_, id) => ({ id, name: 'item' })) });

let stack: GatewayStack;
let url: string;

const recordCalls = (name: string, handler: (payload: Payload) => unknown) => (payload: Payload) => {
  (received[name] ??= []).push(payload);
  return handler(payload);
};

beforeAll(async () => {
  stack = await GatewayStack.start({
    'items.list': () => RawReply.json(items, { headers: { etag: '"abc"' } }),
    'products.get': ({ productId }: { productId: number }) => {
      if (productId === 404) throw new DomainError(problems['product.not-found'], 'x'.repeat(2_000));
      return RawReply.json('{"products":{}}', { headers: { etag: '"small"' } });
    },
    'products.search': recordCalls('search', ({ offset }) => RawReply.page('{"products":[]}', offset + 20)),
    'products.list': () => RawReply.page('{"products":[]}', null),
    'choices.products': () => RawReply.page('{"products":[]}', 20),
    'choices.create': recordCalls('choices', () =>
      RawReply.json('{"choice":{}}', { headers: { 'idempotency-replayed': 'true' } }),
    ),
    'choices.add': recordCalls('choices', () => {
      const headers = { 'idempotency-replayed': 'true' };
      throw new DomainError(problems['choice.full'], 'Full.', undefined, headers);
    }),
    'favorites.delete': () => RawReply.json('{"id":1,"count":1,"productId":1}'),
    'users.update': recordCalls('users', () => ({})),
    'materials.create': recordCalls('materials', () => RawReply.json('{}')),
    'favorites.create': recordCalls('favorites', () => RawReply.json('{}', { status: 201 })),
    'activities.list': () => RawReply.json('{"activities":[]}'),
  });
  url = await stack.gateway();
});
afterAll(() => stack.close());
beforeEach(() => {
  received = {};
});

const api = (method: string, path: string, sent: SendOptions = {}) =>
  send(method, `${url}/api/v1${path}`, { token: 'writer', ...sent });

/** Sends a request without the features of `fetch`: no decompression, repeated headers possible. */
function bare(method: string, path: string, headers: Record<string, string | string[]> = {}, body?: string) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }>((resolve, reject) => {
    const outgoing = httpRequest(
      `${url}/api/v1${path}`,
      { method, headers: { authorization: 'Bearer writer', ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) }),
        );
      },
    );
    outgoing.on('error', reject).end(body);
  });
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = { gzip: gunzipSync, br: brotliDecompressSync };
const decoded = ({ headers, bytes }: { headers: IncomingHttpHeaders; bytes: Buffer }): Buffer =>
  decoders[headers['content-encoding'] ?? '']?.(bytes) ?? bytes;

const paths = ({ body }: Pick<TestResponse, 'body'>): string[] =>
  (body as { errors: { path: string }[] }).errors.map(({ path }) => path);

describe('the next page', () => {
  it('is linked with the base URL and the parameters of the request', async () => {
    const response = await api('GET', '/products/search/?q=%22a%3E%0D%0Ab+c&limit=20&offset=40&x=1&x=2', {
      headers: { host: 'evil.example' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('link')).toBe(
      `<${baseUrl}/api/v1/products/search?q=%22a%3E%0D%0Ab+c&limit=20&offset=60&x=1&x=2>; rel="next"`,
    );
    expect(response.headers.get('x-next-offset')).toBeNull();
  });

  it('has the id in its path', async () => {
    const response = await api('GET', '/choices/7/products');
    expect(response.headers.get('link')).toBe(`<${baseUrl}/api/v1/choices/7/products?offset=20>; rel="next"`);
  });

  it('is not linked if there is none, or if its offset is beyond the limit', async () => {
    expect((await api('GET', '/products')).headers.get('link')).toBeNull();
    const last = await api('GET', '/products/search?offset=999999999');
    expect([last.status, last.headers.get('link'), last.headers.get('x-next-offset')]).toEqual([200, null, null]);
  });
});

describe('an Idempotency-Key', () => {
  const post = (key: string, body: unknown = { title: 'x' }, path = '/choices') =>
    api('POST', path, { body, headers: { 'idempotency-key': key } });

  it('is sent to the service with a fingerprint of method, path and body', async () => {
    await post('k');
    await post('k', { title: 'x' }, '/choices/?x=1');
    await post('k', { title: 'y' });
    await post('k', { productId: 1 }, '/choices/1');
    await post('k', { productId: 1 }, '/choices/2');
    const [first, same, ...others] = received.choices!.map((it) => it.idempotency);
    expect(first).toEqual({ key: 'k', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(same).toEqual(first);
    expect(new Set([first!, ...others].map((it) => it.fingerprint)).size).toBe(4);
  });

  it('has a fingerprint of chunked bodies, too', async () => {
    const body = (end: string) => ({ title: 'x', texture: `data:;base64,${'A'.repeat(300_000)}${end}` });
    for (const end of ['AAAA', 'AAAB', 'AAAA']) await post('k', body(end), '/materials');
    const [a, b, again] = received.materials!.map((it) => it.idempotency.fingerprint);
    expect(a).toBe(again);
    expect(a).not.toBe(b);
  });

  it('is optional', async () => {
    await api('POST', '/choices', { body: { title: 'x' } });
    expect(received.choices).toEqual([expect.not.objectContaining({ idempotency: expect.anything() })]);
  });

  it('returns Idempotency-Replayed, also for rejections', async () => {
    const response = await post('k');
    expect([response.status, response.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    const rejected = await post('k', { productId: 1 }, '/choices/1');
    expect([rejected.status, rejected.headers.get('idempotency-replayed')]).toEqual([422, 'true']);
  });

  it.each(['', 'x'.repeat(256), 'ü', 'a\tb'])('is rejected together with other validation errors: %j', async (key) => {
    const { status, bytes } = await bare(
      'POST',
      '/choices',
      { 'content-type': 'application/json', 'idempotency-key': key },
      '{}',
    );
    expect(status).toBe(400);
    expect(paths({ body: JSON.parse(bytes.toString()) })).toEqual(['body.title', 'headers.idempotency-key']);
    expect(received.choices).toBeUndefined();
  });

  it('is rejected if repeated', async () => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': ['a', 'a'] };
    const { status, bytes } = await bare('POST', '/choices', headers, '{"title":"x"}');
    expect(status).toBe(400);
    expect(JSON.parse(bytes.toString()).errors).toEqual([
      { path: 'headers.idempotency-key', message: 'must be given only once' },
    ]);
  });
});

describe('a cached response', () => {
  let latest: string;

  beforeEach(() => {
    const tag = () => createHash('sha256').update(latest).digest('hex');
    stack.handlers['categories.list'] = () => RawReply.json(latest, { headers: { etag: `"${tag()}"` } });
  });

  it.each(['identity', 'gzip', 'br', 'gzip;q=0.2, br;q=0.1', '*', 'x-gzip', 'deflate', ''])(
    'is the same as the first one: %j',
    async (coding) => {
      latest = JSON.stringify({ categories: [], of: `${coding} 猫`.repeat(500) });
      const headers: Record<string, string> = coding === '' ? {} : { 'accept-encoding': coding };
      const fetchPlain = async (method = 'GET') => {
        const { status, bytes, headers: all } = await bare(method, '/categories', headers);
        // Excludes headers that differ in each response
        const same = Object.entries(all).filter(([name]) => name !== 'date' && name !== 'x-request-id');
        return { status, bytes, headers: Object.fromEntries(same) as IncomingHttpHeaders };
      };
      // Requests with other encodings between the two
      const first = await fetchPlain();
      for (const other of ['identity', 'gzip', 'br']) await bare('GET', '/categories', { 'accept-encoding': other });
      const again = await fetchPlain();
      expect(again).toEqual(first);
      expect(decoded(again).toString()).toBe(latest);
      const head = await fetchPlain('HEAD');
      expect(head.bytes).toHaveLength(0);
      expect(head.headers).toEqual(first.headers);
    },
  );

  it('is not returned after the data has changed, in any encoding', async () => {
    for (const text of ['a', 'bb', 'a', 'ccc']) {
      latest = JSON.stringify({ categories: [], of: text.repeat(2_000) });
      for (const coding of ['gzip', 'identity', 'br', 'gzip'])
        expect(decoded(await bare('GET', '/categories', { 'accept-encoding': coding })).toString()).toBe(latest);
    }
  });
});

describe('a response to a token', () => {
  const personal = 'private, no-cache';

  it.each([
    ['GET', '/activities'],
    ['GET', '/products'],
    ['GET', '/choices/1/products'],
    ['HEAD', '/products'],
    ['POST', '/choices'],
  ])('is private and revalidated: %s %s', async (method, path) => {
    const body = method === 'POST' ? { body: { title: 'x' } } : {};
    const { headers } = await api(method, path, body);
    expect(headers.get('cache-control')).toBe(personal);
  });

  it('is private with 304, too, and a rejection has no-store', async () => {
    const notModified = await bare('GET', '/items', { 'if-none-match': '"abc"', 'accept-encoding': 'br' });
    expect([notModified.status, notModified.headers['cache-control']]).toEqual([304, personal]);
    const missing = await bare('GET', '/products/404', {});
    expect([missing.status, missing.headers['cache-control']]).toEqual([404, 'no-store']);
  });
});

describe('a conditional request', () => {
  it('has a tag for each coding', async () => {
    const [plain, gzip, br] = await Promise.all(
      ['identity', 'gzip', 'gzip, br'].map((it) => bare('GET', '/items', { 'accept-encoding': it })),
    );
    expect([plain!.headers.etag, gzip!.headers.etag, br!.headers.etag]).toEqual(['"abc"', '"abc-gzip"', '"abc-br"']);
    expect(gzip!.headers['content-encoding']).toBe('gzip');
    expect(plain!.bytes.toString()).toBe(items);
    expect(gunzipSync(gzip!.bytes).toString()).toBe(items);
    expect(brotliDecompressSync(br!.bytes).toString()).toBe(items);
    for (const { headers } of [plain!, gzip!, br!]) expect(headers.vary).toBe('accept-language, accept-encoding');
  });

  it.each([
    ['"abc"', 'identity', '"abc"'],
    ['"abc"', 'gzip', '"abc"'],
    ['"abc-gzip"', 'gzip', '"abc-gzip"'],
    ['W/"abc-br"', 'br', '"abc-br"'],
    ['"other", "abc-gzip"', 'gzip', '"abc-gzip"'],
    ['*', 'br', '"abc-br"'],
  ])('with %s and encoding %s returns 304 with %s', async (tag, coding, etag) => {
    const headers = { 'if-none-match': tag, 'accept-encoding': coding };
    const response = await bare('GET', '/items', headers);
    expect([response.status, response.headers.etag, response.bytes.length]).toEqual([304, etag, 0]);
    expect(response.headers).not.toHaveProperty('content-encoding');
    expect(response.headers).not.toHaveProperty('content-length');
    expect(response.headers.vary).toBe('accept-language, accept-encoding');
    expect((await bare('HEAD', '/items', headers)).status).toBe(304);
  });

  it.each([
    ['"abc-gzip"', 'identity'],
    ['"abc-br"', 'gzip'],
    ['"abcd"', 'gzip'],
  ])('with %s and encoding %s returns the full response', async (tag, coding) => {
    const response = await bare('GET', '/items', { 'if-none-match': tag, 'accept-encoding': coding });
    expect(response.status).toBe(200);
  });

  it('of a small response has one tag, and a rejection has none', async () => {
    const small = await bare('GET', '/products/1', { 'accept-encoding': 'gzip' });
    expect([small.headers.etag, small.headers['content-encoding']]).toEqual(['"small"', undefined]);
    expect((await bare('GET', '/products/404')).headers.etag).toBeUndefined();
  });

  it('works for icons', async () => {
    const icon = `${url}/icons/t-shirt.svg`;
    const etag = (await send('GET', icon, { headers: { 'accept-encoding': 'identity' } })).headers.get('etag')!;
    expect(etag).toMatch(/^"[0-9a-f]+"$/);
    expect((await send('GET', icon, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });
});

describe('a response', () => {
  it('is compressed over 1 KB, problem documents too', async () => {
    const { status, headers, bytes } = await bare('GET', '/products/404', { 'accept-encoding': 'br' });
    expect([status, headers['content-encoding'], headers.vary]).toEqual([
      404,
      'br',
      'accept-language, accept-encoding',
    ]);
    expect(JSON.parse(brotliDecompressSync(bytes).toString()).code).toBe('product.not-found');
  });

  it('to HEAD has the headers of GET and no body', async () => {
    for (const coding of ['identity', 'gzip']) {
      const [get, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) => bare(method, '/items', { 'accept-encoding': coding })),
      );
      expect([head!.status, head!.bytes.length]).toEqual([200, 0]);
      for (const name of ['etag', 'content-encoding', 'content-length', 'content-type', 'vary'])
        expect([name, head!.headers[name]]).toEqual([name, get!.headers[name]]);
    }
  });

  it('varies by language if it is localized', async () => {
    for (const path of ['/activities', '/items', '/products'])
      expect((await bare('GET', path)).headers.vary).toBe('accept-language, accept-encoding');
    expect((await bare('GET', '/banners')).headers.vary).toBe('accept-encoding');
  });
});

describe('a page of another origin', () => {
  const fetchPlain = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };

  it.each(['/materials', '/products/1', '/nowhere', '', '/items?x=1', '/products/%zz'])(
    'may send a preflight request to %s without a token',
    async (path) => {
      const response = await send('OPTIONS', `${url}/api/v1${path}`, { headers: fetchPlain });
      if (path.includes('%zz')) expect(response.status).toBe(400);
      else {
        expect([response.status, response.body]).toEqual([204, '']);
        expect(response.headers.get('access-control-allow-headers')).toBe(
          'Authorization, Content-Type, Idempotency-Key, If-None-Match, Cache-Control, Traceparent, Tracestate, X-Request-Id',
        );
        expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, DELETE');
      }
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    },
  );

  it.each(['/problems/product.not-found', '/icons/none.svg'])('may read %s', async (path) => {
    const response = await send('GET', url + path, { headers: { origin: 'https://shop.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('may read every response and its headers, including rejections', async () => {
    const responses = await Promise.all([
      api('GET', '/items'),
      send('GET', `${url}/api/v1/items`),
      api('GET', '/nowhere'),
      api('PUT', '/items', { body: {} }),
      api('GET', '/products?limit=0'),
      api('GET', '/products/%zz'),
      api('POST', '/choices', { body: '{' }),
      api('GET', '/products/404'),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 401, 404, 405, 400, 400, 400, 404]);
    for (const { headers } of responses) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      for (const name of ['X-RateLimit-Remaining', 'Link', 'ETag', 'Idempotency-Replayed', 'Retry-After'])
        expect(headers.get('access-control-expose-headers')).toContain(name);
    }
  });

  it('may not read pages', async () => {
    for (const [path, status] of [
      ['/docs', 405],
      ['/health/live', 405],
      ['/api/v10', 404],
    ] as const) {
      expect((await send('GET', url + path)).headers.get('access-control-allow-origin')).toBeNull();
      const response = await send('OPTIONS', url + path, { headers: fetchPlain });
      expect([response.status, response.headers.get('access-control-allow-methods')]).toEqual([status, null]);
    }
  });

  it('gets 405 with the methods of the path for OPTIONS that is no preflight request', async () => {
    const response = await api('OPTIONS', '/items');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
  });
});

it('limits connections: for a further connection the longest idle one is closed', async () => {
  const limited = await stack.gateway({ MAX_CONNECTIONS: '2', TRUSTED_PROXIES: 'loopback' });
  const [first, second] = [await RawClient.to(limited), await RawClient.to(limited)];
  const third = await RawClient.to(limited);
  try {
    await first.waitForClose();
    for (const client of [second, third]) client.get('/api/v1/items');
    await Promise.all([second.waitForResponses(1), third.waitForResponses(1)]);
    expect([first.received, second.statuses, third.statuses]).toEqual(['', [200], [200]]);
  } finally {
    for (const { socket } of [first, second, third]) socket.destroy();
  }
});

describe('an unusual request', () => {
  it.each([
    ['limit=5&limit=6', 'query.limit'],
    ['q=a&q=b', 'query.q'],
    ['q=%00', 'query.q'],
    ['limit[]=5', undefined],
    ['a[b]=c&limit=5', undefined],
    ['__proto__[x]=1&constructor=2', undefined],
    ['q=%zz', undefined],
    ['&&&=&?', undefined],
  ])('with the query %s is accepted, or rejected with the invalid field: %s', async (query, path) => {
    const response = await api('GET', `/products/search?${query}`);
    if (path === undefined) expect(response.status).toBe(200);
    else expect([response.status, paths(response)]).toEqual([400, [path]]);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('may have a trailing slash', async () => {
    expect((await api('GET', '/items/')).status).toBe(200);
    expect((await api('POST', '/choices/', { body: { title: 'x' } })).status).toBe(200);
  });

  it('may have an empty body of type JSON if nothing is required', async () => {
    const json = { 'content-type': 'application/json' };
    expect((await api('POST', '/products/1/favorites', { headers: json })).status).toBe(201);
    expect((await api('POST', '/products/1/favorites', { headers: json, body: ' \n' })).status).toBe(201);
    expect((await api('GET', '/items', { headers: json })).status).toBe(200);
    const missing = await api('POST', '/choices', { headers: json });
    expect([missing.status, paths(missing)]).toEqual([400, ['body']]);
  });

  it.each([
    ['half of a surrogate pair', '{"title":"\\ud800"}', 'body.title'],
    ['NUL', '{"title":"a\\u0000"}', 'body.title'],
    [
      'a number of 100,000 digits',
      `{"title":"x","choiceProducts":[{"productId":${'9'.repeat(100_000)}}]}`,
      'body.choiceProducts.0.productId',
    ],
    [
      'a number beyond the range',
      '{"title":"x","choiceProducts":[{"productId":1e999}]}',
      'body.choiceProducts.0.productId',
    ],
    ['a wrong type', '{"title":{"__proto__":{"x":1}}}', 'body.title'],
    [
      'deep nesting',
      `{"title":"x","choiceProducts":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      'body.choiceProducts.0',
    ],
    ['deeper nesting', '['.repeat(100_000) + ']'.repeat(100_000), 'body'],
    ['nothing but brackets', '['.repeat(1_000_000), 'body'],
    ['an array', '[]', 'body'],
    ['null', 'null', 'body'],
    ['broken JSON', '{"title":', 'body'],
    ['two values', '{"title":"x"}{}', 'body'],
  ])('with %s in its body is rejected', async (_, body, path) => {
    const response = await api('POST', '/choices', { body });
    expect([response.status, paths(response)]).toEqual([400, [path]]);
    expect(received.choices).toBeUndefined();
  });

  it('loses unknown fields, including __proto__', async () => {
    const response = await api('PUT', '/user', { body: '{"displayName":"x","__proto__":{"admin":true},"y":[[[]]]}' });
    expect([response.status, received.users]).toEqual([200, [{ viewerId: 1, displayName: 'x' }]]);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  it('that is too large is rejected, also without Content-Length', async () => {
    const body = JSON.stringify({ title: 'x', x: 'x'.repeat(1024 * 1024) });
    const announced = await api('POST', '/choices', { body });
    expect([announced.status, announced.body.code]).toEqual([413, 'request.too-large']);
    const { status } = await bare(
      'POST',
      '/choices',
      { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      body,
    );
    expect(status).toBe(413);
  });

  it('that is truncated does not affect the gateway', async () => {
    const { hostname, port } = new URL(url);
    const head = 'POST /api/v1/materials HTTP/1.1\r\nhost: x\r\nauthorization: Bearer writer\r\n';
    for (let time = 0; time < 12; time++)
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(
            `${head}content-type: application/json\r\ncontent-length: 9000000\r\n\r\n{"title":"x","texture":"data:`,
          );
          setTimeout(() => socket.destroy(), 30);
        });
        socket.on('close', () => resolve()).on('error', () => undefined);
      });
    const body = { title: 'x', texture: `data:;base64,${'A'.repeat(2_000_000)}` };
    expect((await api('POST', '/materials', { body })).status).toBe(200);
    expect(stack.logged).toEqual([]);
  });

  it.each(['text/plain', '', 'application/json'])(
    'may have any content type if the operation has no body: %j',
    async (type) => {
      const response = await api('DELETE', '/products/1/favorites', { body: 'x', headers: { 'content-type': type } });
      expect(response.status).toBe(200);
    },
  );

  it('with a wrong method gets 405 for any body', async () => {
    const response = await send('PUT', `${url}/api/v1/promotions`, { body: 'abc' });
    expect([response.status, response.body.code, response.headers.get('allow')]).toEqual([
      405,
      'request.method-not-allowed',
      'GET',
    ]);
  });

  it.each([
    ['non-ASCII characters in its target', 'GET /api/v1/products/search?q=\u732b HTTP/1.1\r\nhost: a\r\n\r\n', 400],
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['endless headers', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('gets a problem document even if malformed: %s', async (_, bytes, status) => {
    const { hostname, port } = new URL(url);
    const response = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write(bytes));
      socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('close', () => resolve(text));
    });
    const [head, body] = response.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} .*application/problem\\+json`, 's'));
    expect(JSON.parse(body!)).toMatchObject({ status, requestId: /X-Request-Id: (.*)/.exec(head!)![1]!.trim() });
  });

  it.each([
    ['without a host', 'GET /api/v1/promotions HTTP/1.1\r\nconnection: close\r\n\r\n', 401],
    [
      'with an expectation',
      'GET /nowhere/at/all HTTP/1.1\r\nhost: a\r\nexpect: wonders\r\nconnection: close\r\n\r\n',
      404,
    ],
  ])('gets a regular response %s', async (_, bytes, status) => {
    const { hostname, port } = new URL(url);
    const response = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write(bytes));
      socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('close', () => resolve(text));
    });
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} .*application/problem\\+json`, 's'));
  });

  it('that is malformed does not corrupt the response to a previous one', async () => {
    const { hostname, port } = new URL(url);
    const good = 'GET /api/v1/items HTTP/1.1\r\nhost: a\r\nauthorization: Bearer writer\r\n\r\n';
    const response = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write(`${good}garbage\r\n\r\n`));
      socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('close', () => resolve(text));
      socket.on('error', () => undefined);
    });
    expect(response).not.toContain('problem+json');
  });

  it.each([
    ['GET', '/materials/text', 'POST'],
    ['DELETE', '/materials/text/', 'POST'],
    ['POST', '/products/search?q=x', 'GET'],
    ['PUT', '/materials/5/x', undefined],
  ])('%s %s gets the methods of the path, if any: %s', async (method, path, allow) => {
    const response = await api(method, path, method === 'GET' ? {} : { body: {} });
    expect([response.status, response.headers.get('allow') ?? undefined]).toEqual([allow ? 405 : 404, allow]);
  });

  it('is rejected if compressed', async () => {
    const response = await api('POST', '/choices', { body: {}, headers: { 'content-encoding': 'gzip' } });
    expect([response.status, response.body.code]).toEqual([415, 'request.unsupported-media-type']);
  });

  it.each(['ff', 'eda080', 'c0af'])('is rejected if its body is invalid UTF-8: %s', async (hex) => {
    const bytes = Buffer.concat([Buffer.from('{"title":"a'), Buffer.from(hex, 'hex'), Buffer.from('"}')]);
    const response = await fetch(`${url}/api/v1/choices`, {
      method: 'POST',
      headers: { authorization: 'Bearer writer', 'content-type': 'application/json' },
      body: bytes,
    });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      400,
      'request.body-not-json',
    ]);
  });
});
