import { RawReply } from '#request-queue';
import { type FakeHandler } from './testing/fake-services.js';
import { GatewayStack, send } from './testing/gateway-stack.js';

// Counts queue messages per API call, so that a regression shows without measuring time

let stack: GatewayStack;
let url: string;
let messages: string[] = [];

beforeAll(async () => {
  const reply: FakeHandler = () => RawReply.json('{}', { headers: { etag: '"x"' } });
  // The fake services look up a handler by name for every message
  const counted = new Proxy<Record<string, FakeHandler>>(
    {},
    {
      get: (target, name: string) => {
        messages.push(name);
        return target[name] ?? reply;
      },
    },
  );
  stack = await GatewayStack.start(counted);
  url = await stack.gateway();
});
afterAll(() => stack.close());
beforeEach(async () => {
  // Caches the token before each test, because a cached token expires after ten seconds
  await send('GET', `${url}/api/v1/products`, { token: 'writer' });
  messages = [];
});

describe('a call with a cached token', () => {
  it.each([
    ['GET', '/products', 'products.list'],
    ['GET', '/products?userName=hanako', 'products.list'],
    ['GET', '/products/1', 'products.get'],
    ['GET', '/products/search?q=cat', 'products.search'],
    ['GET', '/products/on_sale', 'products.on-sale'],
    ['GET', '/items', 'items.list'],
    ['GET', '/materials', 'materials.list'],
    ['GET', '/choices/1/products', 'choices.products'],
    ['GET', '/activities/unreads', 'activities.unreads'],
    ['POST', '/products/1/favorites', 'favorites.create'],
    ['DELETE', '/products/1/favorites', 'favorites.delete'],
    ['POST', '/choices', 'choices.create'],
  ])('sends one message: %s %s', async (method, path, message) => {
    const body = method === 'POST' ? { title: 'Favourites' } : undefined;
    const { status } = await send(method, `${url}/api/v1${path}`, { token: 'writer', body });
    expect(status).toBeLessThan(300);
    expect(messages).toEqual([message]);
  });

  it('sends no message if it is invalid', async () => {
    const { status } = await send('GET', `${url}/api/v1/products?limit=0`, { token: 'writer' });
    expect(status).toBe(400);
    expect(messages).toEqual([]);
  });
});
