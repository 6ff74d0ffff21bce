import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { projectPath } from '#config';
import { iconKey } from '#contracts';
import { openBlobStore } from '#storage';
import { GatewayStack } from '../testing/gateway-stack.js';

describe('an icon', () => {
  let stack: GatewayStack;
  let url: string;

  beforeAll(async () => {
    stack = await GatewayStack.start();
    url = await stack.gateway();
  });
  afterAll(() => stack.close());

  const get = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${url}/icons/${name}`, { method, headers: { 'accept-encoding': 'br', ...headers } });

  it.each([
    ['svg', 'image/svg+xml'],
    ['png', 'image/png'],
  ])('is served as %s', async (extension, type) => {
    const response = await get(`t-shirt.${extension}`);
    const { headers } = response;
    expect([response.status, headers.get('content-type'), headers.get('content-encoding')]).toEqual([200, type, null]);
    expect(headers.get('cache-control')).toBe('public, max-age=86400');
    const file = await readFile(projectPath(`blanks/items/t-shirt/icon.${extension}`));
    expect(file.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  });

  it.each([
    ['svg', 'image/svg+xml'],
    ['png', 'image/png'],
  ])('of an imported item is served as immutable %s without scripts', async (extension, type) => {
    const name = `${'a'.repeat(64)}.${extension}`;
    expect((await get(name)).status).toBe(404);
    await openBlobStore(pathToFileURL(stack.folder).href).put(iconKey(name), Buffer.from('icon'));
    const response = await get(name);
    const { headers } = response;
    expect([response.status, headers.get('content-type'), await response.text()]).toEqual([200, type, 'icon']);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'.*sandbox$/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect((await get(name, { 'if-none-match': headers.get('etag')! })).status).toBe(304);
  });

  it.each(['mug.svg', 'mug.png'])('returns 304 to a client that has it cached: %s', async (name) => {
    const etag = (await get(name)).headers.get('etag')!;
    for (const method of ['GET', 'HEAD']) expect((await get(name, { 'if-none-match': etag }, method)).status).toBe(304);
    expect((await get(name, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('has the headers of GET for HEAD', async () => {
    const [whole, head] = await Promise.all(['GET', 'HEAD'].map((method) => get('mug.png', {}, method)));
    expect([head!.status, (await head!.arrayBuffer()).byteLength]).toEqual([200, 0]);
    for (const name of ['etag', 'content-length', 'content-type', 'cache-control'])
      expect([name, head!.headers.get(name)]).toEqual([name, whole!.headers.get(name)]);
  });

  it.each(['POST', 'PUT', 'DELETE'])('returns 405 for %s', async (method) => {
    const { status, headers } = await get('mug.svg', {}, method);
    expect([status, headers.get('allow'), headers.get('cache-control')]).toEqual([405, 'GET, HEAD', 'no-store']);
  });

  it.each(['nothing.png', 't-shirt.webp', 't-shirt', '..%2Fcolors.json'])(
    'returns 404 for an unknown name: %s',
    async (name) => {
      const response = await get(name);
      expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store']);
    },
  );
});
