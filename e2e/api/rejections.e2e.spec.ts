import { mkdir, readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { ProblemResponse, serviceNames } from '#contracts';
import { artwork } from '../support/artwork.js';
import { api, baseUrl, call, dataDir, newUser, operator, type User } from '../support/shop.js';

describe('a token', () => {
  let user: User;
  beforeAll(async () => {
    user = await newUser();
  });

  it('is required', async () => {
    const response = await api('GET', '/items');
    expect([response.status, response.body.code]).toEqual([401, 'token.missing']);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each(['x', 'a'.repeat(43), '💥', ' '])('is rejected if it is %j', async (token) => {
    const response = await api('GET', '/items', { headers: { authorization: `Bearer ${encodeURI(token)}` } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it('is not accepted in the query string', async () => {
    expect((await api('GET', `/items?access_token=${user.apiKey}`)).status).toBe(401);
  });

  it('without the write scope can read only', async () => {
    const { token } = await operator('token', 'create', '--user', user.name, '--scope', 'read');
    expect((await api('GET', '/items', { token })).status).toBe(200);
    const response = await api('POST', '/products/1/favorites', { token, body: {} });
    expect([response.status, response.body.code]).toEqual([401, 'token.insufficient-scope']);
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="write"');
  });

  it('is rejected immediately after its revocation, although cached by the gateway', async () => {
    const { token } = await operator('token', 'create', '--user', user.name, '--scope', 'read write');
    expect((await api('GET', '/items', { token })).status).toBe(200);
    expect(await operator('token', 'revoke', `--token=${token}`)).toEqual({ revoked: true });
    expect((await api('GET', '/items', { token })).status).toBe(401);
  });

  it('is replaced: the old key is rejected, the new one accepted', async () => {
    const other = await newUser();
    expect((await api('GET', '/items', { token: other.apiKey })).status).toBe(200);
    const { apiKey } = await operator('user', 'replace-key', '--name', other.name);
    expect((await api('GET', '/items', { token: apiKey })).status).toBe(200);
    expect((await api('GET', '/items', { token: other.apiKey })).status).toBe(401);
  });
});

describe('an invalid request', () => {
  let token: string;
  beforeAll(async () => {
    token = (await newUser()).apiKey;
  });

  it('gets all validation errors together', async () => {
    const response = await api('POST', '/materials', {
      token,
      body: { title: 5, price: '1', products: [{ itemId: 'x' }] },
    });
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(() => ProblemResponse.parse(response.body)).not.toThrow();
    expect(response.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
      'body.price',
      'body.products.0.itemId',
      'body.texture',
      'body.title',
    ]);
    expect(response.body.requestId).toBe(response.headers.get('x-request-id'));
  });

  it.each([
    ['broken JSON', '{"title": ', 400, 'request.body-not-json'],
    ['an array', '[]', 400, 'request.invalid'],
    ['no body', '', 400, 'request.invalid'],
    ['text', '"x"', 400, 'request.invalid'],
  ])('is rejected: %s', async (_, body, status, code) => {
    const response = await api('POST', '/materials', { token, body });
    expect([response.status, response.body.code]).toEqual([status, code]);
  });

  it.each(['limit=0', 'limit=51', 'limit=abc', 'limit=', 'limit=5&limit=6', 'offset=-1', 'itemId=0', 'userName=a%20b'])(
    'is rejected: ?%s',
    async (query) => {
      const response = await api('GET', `/products?${query}`, { token });
      expect(response.status).toBe(400);
      expect(response.body.errors[0].path).toBe(`query.${query.split('=')[0]}`);
    },
  );

  it.each(['0', '-1', 'abc', '1.5', '9'.repeat(20)])('is rejected: product %s', async (id) => {
    const response = await api('GET', `/products/${id}`, { token });
    expect([response.status, response.body.errors?.[0]?.path]).toEqual([400, 'params.productId']);
  });

  it('gets 404 for an id beyond the safe integers', async () => {
    expect((await api('GET', `/products/${'9'.repeat(18)}`, { token })).status).toBe(404);
    expect((await api('GET', `/products?userId=${'9'.repeat(18)}`, { token })).body.products).toEqual([]);
  });

  it('is not parsed without authentication', async () => {
    const anonymous = await api('POST', '/materials', { body: '{"title": ' });
    expect([anonymous.status, anonymous.body.code]).toEqual([401, 'token.missing']);
    const basic = await api('GET', '/items', { headers: { authorization: 'Basic eDp5' } });
    expect([basic.status, basic.body.code]).toEqual([401, 'token.missing']);
  });

  it('is rejected if it is compressed, or contains more than 30,000 objects', async () => {
    const gzip = await api('POST', '/materials', { token, body: 'x', headers: { 'content-encoding': 'gzip' } });
    expect(gzip.status).toBe(415);
    const many = await api('POST', '/materials', { token, body: `{"products":[${'{},'.repeat(30_000)}{}]}` });
    expect([many.status, many.body.errors[0].path]).toEqual([400, 'body']);
  });

  it('gets a problem document if its URL cannot be decoded', async () => {
    const response = await api('GET', '/products/%zz', { token });
    expect([response.status, response.body.code]).toEqual([400, 'request.invalid']);
    expect(response.body.requestId).toBe(response.headers.get('x-request-id'));
  });

  it('succeeds with unknown query parameters', async () => {
    expect((await api('GET', '/products?nonsense=1&a[b]=c', { token })).status).toBe(200);
    expect((await api('GET', '/items?limit=1', { token })).status).toBe(200);
  });

  it('is rejected by content type, size, method and path', async () => {
    const xml = await api('POST', '/materials', { token, body: '<a/>', headers: { 'content-type': 'text/xml' } });
    expect([xml.status, xml.body.code]).toEqual([415, 'request.unsupported-media-type']);
    const text = await api('POST', '/materials', { token, body: '{}', headers: { 'content-type': 'text/plain' } });
    expect(text.status).toBe(415);
    const big = await api('POST', '/products/1/favorites', { token, body: `{"x":"${'x'.repeat(1024 * 1024)}"}` });
    expect([big.status, big.body.code]).toEqual([413, 'request.too-large']);
    const put = await api('PUT', '/items', { token, body: {} });
    expect([put.status, put.body.code, put.headers.get('allow')]).toEqual([405, 'request.method-not-allowed', 'GET']);
    const nowhere = await api('GET', '/nowhere', { token });
    expect([nowhere.status, nowhere.body.code]).toEqual([404, 'request.not-found']);
  });
});

describe('an image that cannot be used', () => {
  let user: User;
  let server: Server;
  let origin: string;
  let items: any[];

  beforeAll(async () => {
    user = await newUser();
    items = (await api('GET', '/items', { token: user.apiKey })).body.items;
    server = createServer((request, response) => {
      if (request.url === '/inside') response.writeHead(302, { location: 'http://127.0.0.2:1/secret' }).end();
      else if (request.url === '/missing') response.writeHead(404).end('nothing');
      else response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  /**
   * Returns the names of stored uploads and textures. Not of images, because those of earlier tests
   * may still be rendered.
   */
  const blobs = async () => {
    const folders = ['uploads', 'textures'].map((name) => join(dataDir, 'blobs', name));
    const lists = folders.map(async (folder) => {
      // The shop creates the folder with the first blob
      await mkdir(folder, { recursive: true });
      return readdir(folder, { recursive: true, withFileTypes: true });
    });
    return (await Promise.all(lists)).flatMap((files) => files.filter((it) => it.isFile()).map(({ name }) => name));
  };

  /** Returns the names of new blobs. Old ones may be deleted because of earlier tests. */
  const newBlobs = async (before: readonly string[]) => (await blobs()).filter((name) => !before.includes(name));

  const bytes = (data: Buffer | string) => `data:image/png;base64,${Buffer.from(data).toString('base64')}`;

  const cases: [string, () => Promise<string> | string, string][] = [
    ['empty', () => 'data:image/png;base64,', 'texture.empty'],
    ['text', () => bytes('hello, I am no image'), 'texture.unsupported-format'],
    [
      'SVG',
      () => bytes('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      'texture.unsupported-format',
    ],
    ['PDF', () => bytes('%PDF-1.7\n'), 'texture.unsupported-format'],
    ['over 20 MB', () => bytes(Buffer.alloc(20 * 1024 * 1024 + 1)), 'texture.too-large'],
    [
      'truncated',
      async () => {
        const whole = await sharp({ create: { width: 300, height: 300, channels: 3, background: 'red' } })
          .jpeg()
          .toBuffer();
        return bytes(whole.subarray(0, whole.length / 2));
      },
      'texture.not-decoded',
    ],
    [
      'over 50 megapixels',
      async () =>
        bytes(
          await sharp({ create: { width: 8000, height: 7000, channels: 3, background: 'red' } })
            .png()
            .toBuffer(),
        ),
      'texture.too-large',
    ],
    [
      'over 50 megapixels in 300 bytes',
      async () => {
        const bomb = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
          .jpeg()
          .toBuffer();
        // Sets height and width in the header of the frame to 30,000
        bomb.writeUInt32BE(30_000 * 0x10000 + 30_000, bomb.indexOf(Buffer.from([0xff, 0xc0])) + 5);
        return bytes(bomb);
      },
      'texture.too-large',
    ],
    ['JavaScript that begins as a GIF', () => bytes('GIF89a=1;alert(1)//'), 'texture.not-decoded'],
    ['missing at its URL', () => `${origin}/missing`, 'texture.not-fetched'],
    ['empty at its URL', () => `${origin}/empty`, 'texture.empty'],
    ['at a loopback address by redirect', () => `${origin}/inside`, 'texture.address-refused'],
    ['at a loopback address', () => 'http://127.0.0.3/x.png', 'texture.address-refused'],
    ['at an IPv4-mapped loopback address', () => 'http://[::ffff:7f00:3]/x.png', 'texture.address-refused'],
    ['at a link-local address', () => 'http://169.254.169.254/latest/meta-data', 'texture.address-refused'],
  ];

  it.each(cases)('is rejected with a reason and stores nothing: %s', async (_, texture, code) => {
    const before = await blobs();
    const body = { texture: await texture(), title: 'x', products: [{ itemId: items[0].id, published: true }] };
    const response = await api('POST', '/materials', { token: user.apiKey, body });
    expect([response.status, response.body.code]).toEqual([422, code]);
    expect(response.body.errors.map(({ path }: { path: string }) => path)).toEqual(['body.texture']);
    expect(response.body.detail.length).toBeGreaterThan(10);
    const since = performance.now();
    expect((await api('GET', '/items?limit=1', { token: user.apiKey })).status).toBe(200);
    expect(performance.now() - since).toBeLessThan(15_000);
    expect(await newBlobs(before)).toEqual([]);
    expect((await api('GET', '/materials', { token: user.apiKey })).body.materials).toEqual([]);
  });

  it('is rejected for a further side, and the valid main texture is not stored either', async () => {
    const before = await blobs();
    const shirt = items.find((it) => it.name === 't-shirt');
    const texture = bytes('hello, I am no image');
    const product = { itemId: shirt.id, published: true, sub_materials: [{ texture, printSide: 'back' }] };
    const body = { texture: await artwork(57, 43), title: 'x', products: [product] };
    const response = await api('POST', '/materials', { token: user.apiKey, body });
    expect([response.status, response.body.code]).toEqual([422, 'texture.unsupported-format']);
    expect(response.body.errors.map(({ path }: { path: string }) => path)).toEqual([
      'body.products.0.sub_materials.0.texture',
    ]);
    expect(await newBlobs(before)).toEqual([]);
    expect((await api('GET', '/materials', { token: user.apiKey })).body.materials).toEqual([]);
  });

  it.each([
    ['an unknown item', (): object => ({ itemId: 999_999 }), 'item.not-found', 'body.products.0.itemId'],
    [
      'a variant of another item',
      (): object => ({ itemId: items[0].id, exemplaryItemVariantId: items[1].variants[0].id }),
      'item-variant.not-of-item',
      'body.products.0.exemplaryItemVariantId',
    ],
    [
      'cover on a mug',
      (): object => ({ itemId: items.find((it) => it.name === 'mug').id, resizeMode: 'cover' }),
      'resize-mode.not-allowed',
      'body.products.0.resizeMode',
    ],
    [
      'an embroidery item',
      (): object => ({ itemId: items.find((it) => it.isEmbroidery).id }),
      'item.embroidery',
      'body.products.0.itemId',
    ],
  ])('is rejected with %s', async (_, product, code, path) => {
    const body = { texture: await artwork(50, 50), title: 'x', products: [product()] };
    const response = await api('POST', '/materials', { token: user.apiKey, body });
    expect([response.status, response.body.code]).toEqual([422, code]);
    expect(response.body.errors[0].path).toBe(path);
    expect((await api('GET', '/materials', { token: user.apiKey })).body.materials).toEqual([]);
  });

  it('is accepted by URL', async () => {
    const png = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    server.removeAllListeners('request').on('request', (_, reply) => reply.end(png));
    const response = await api('POST', '/materials', {
      token: user.apiKey,
      body: { texture: `${origin}/a.png`, title: 'x' },
    });
    expect([response.status, response.body.products, response.body.material.originalWidth]).toEqual([200, [], 40]);
  });
});

describe('the gateway', () => {
  it('reports liveness and readiness', async () => {
    expect((await call('GET', '/health/live')).body).toEqual({ status: 'ok' });
    const ready = await call('GET', '/health/ready');
    expect(ready.status).toBe(200);
    expect(ready.body.services).toEqual(Object.fromEntries(serviceNames.map((name) => [name, 'ok'])));
  });

  it('allows cross-origin requests without credentials', async () => {
    const preflight = await api('OPTIONS', '/materials', {
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('compresses JSON over 1 KB', async () => {
    const { apiKey } = await newUser();
    const response = await api('GET', '/items', { token: apiKey, headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
  });

  it('rejects HEAD for activities, because GET marks them as read', async () => {
    const { apiKey } = await newUser();
    expect((await api('HEAD', '/items', { token: apiKey })).status).toBe(200);
    expect((await api('HEAD', '/activities', { token: apiKey })).status).toBe(405);
  });

  it('rejects a token of 600 characters', async () => {
    expect((await api('GET', '/items', { token: 'x'.repeat(600) })).status).toBe(401);
  });

  it('closes a connection that pipelines 50 requests, and serves others', async () => {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined).resume();
    socket.write('GET /health/ready HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(50));
    await closed;
    expect((await call('GET', '/health/live')).status).toBe(200);
  });

  it('accepts a valid request id and replaces an invalid one', async () => {
    const accepted = await call('GET', '/health/live', { headers: { 'x-request-id': 'abc-123' } });
    expect(accepted.headers.get('x-request-id')).toBe('abc-123');
    const replaced = await call('GET', '/health/live', { headers: { 'x-request-id': 'a b"c' } });
    expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('documents its problem codes', async () => {
    const response = await call('GET', '/problems/product.not-found');
    expect(response.body).toEqual({ code: 'product.not-found', status: 404, title: 'Product not found' });
  });
});
