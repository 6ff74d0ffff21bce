import { pathToFileURL } from 'node:url';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { openBlobStore } from '#storage';
import { GatewayStack } from '../testing/gateway-stack.js';

const bytes = Buffer.from('an image');
const key = 'blanks/t-shirt/wearing/shipped/white/front-wearing.png';

let stack: GatewayStack;
let origin: string;
let requests: object[];

beforeAll(async () => {
  stack = await GatewayStack.start({
    'wearing-images.render': (request: { itemName: string }) => {
      requests.push(request);
      if (request.itemName === 'mug') throw new DomainError(problems['picture.not-found'], 'Not worn.');
      if (request.itemName === 'busy') throw new DomainError(problems['service.overloaded'], 'Busy.');
      return { key };
    },
  });
  origin = await stack.gateway();
  await openBlobStore(pathToFileURL(stack.folder).href).put(key, bytes);
});
afterAll(() => stack.close());
beforeEach(() => {
  requests = [];
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
    expect(requests).toEqual([{ itemName: 't-shirt', format: 'png' }]);
    expect((await get('t-shirt.png', { 'if-none-match': headers.get('etag')! })).status).toBe(304);
    expect((await get('t-shirt.webp')).headers.get('content-type')).toBe('image/webp');
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
