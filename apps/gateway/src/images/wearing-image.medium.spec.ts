import { pathToFileURL } from 'node:url';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { openBlobStore } from '#storage';
import { GatewayStack } from '../testing/gateway-stack.js';

const bytes = Buffer.from('an image');
const key = `blanks/t-shirt/wearing/${'a'.repeat(64)}/f5f5f2/front-wearing.png`;
/** Version that the services have; undefined: they are of the previous version. */
let stored: number | undefined;

let stack: GatewayStack;
let origin: string;
let requests: object[];

beforeAll(async () => {
  stack = await GatewayStack.start({
    'wearing-images.render': (request: { itemName: string }) => {
      requests.push(request);
      if (request.itemName === 'mug') throw new DomainError(problems['picture.not-found'], 'Not worn.');
      if (request.itemName === 'busy') throw new DomainError(problems['service.overloaded'], 'Busy.');
      return { key, version: stored };
    },
  });
  origin = await stack.gateway();
  await openBlobStore(pathToFileURL(stack.folder).href).put(key, bytes);
});
afterAll(() => stack.close());
beforeEach(() => {
  requests = [];
  stored = 2;
});

const get = (name: string, headers: Record<string, string> = {}) =>
  fetch(`${origin}/images/v1/wearing/${name}`, { headers });

describe('the image of a worn item', () => {
  it('is served without a signature, and is cached for a day', async () => {
    const response = await get('t-shirt.png?v=2');
    const { headers } = response;
    expect([response.status, headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(headers.get('cache-control')).toBe('public, max-age=86400');
    expect(await response.text()).toBe(bytes.toString());
    expect(requests).toEqual([{ itemName: 't-shirt', format: 'png', version: 2 }]);
    expect((await get('t-shirt.png', { 'if-none-match': headers.get('etag')! })).status).toBe(304);
    expect((await get('t-shirt.webp')).headers.get('content-type')).toBe('image/webp');
  });

  it.each([
    ['t-shirt.png?v=3', 2, 'no-store'],
    ['t-shirt.png?v=1', 2, 'no-store'],
    ['t-shirt.png', 2, 'no-store'],
    ['t-shirt.png?v=2', undefined, 'no-store'],
    ['t-shirt.png', undefined, 'public, max-age=86400'],
    ['t-shirt.png?v=x', 0, 'public, max-age=86400'],
  ])('of %s is cached only if it shows that version: %s', async (name, version, caching) => {
    stored = version;
    const response = await get(name);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, caching]);
  });

  it('is missing for other items, and not ready under load', async () => {
    expect((await get('mug.png')).status).toBe(404);
    const busy = await get('busy.png');
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  });

  it.each(['t-shirt', 't-shirt.svg', 't-shirt.png.webp', '.png', 'a%2Fb.png', `${'x'.repeat(65)}.png`, '..%2Fmug.png'])(
    'has no name such as %s',
    async (name) => {
      expect((await get(name)).status).toBe(404);
      expect(requests).toEqual([]);
    },
  );
});
