import { RawReply } from '#request-queue';
import { type FakeAnswer } from './testing/fake-services.js';
import { GatewayStack, send } from './testing/gateway-stack.js';

// What a call may cost, counted: a regression shows here without a clock

let stack: GatewayStack;
let url: string;
let messages: string[] = [];

beforeAll(async () => {
  const reply: FakeAnswer = () => RawReply.json('{}', { headers: { etag: '"x"' } });
  const answers: Record<string, FakeAnswer> = {};
  // Every message that arrives at a service is asked for here by its name
  const counted = new Proxy(answers, {
    get: (target, name: string) => {
      messages.push(name);
      return target[name] ?? reply;
    },
  });
  stack = await GatewayStack.start(counted);
  url = await stack.gateway();
});
afterAll(() => stack.close());
beforeEach(async () => {
  // Each time: who is known is forgotten after ten seconds
  await send('GET', `${url}/api/v1/products`, { token: 'writer' });
  messages = [];
});

describe('a call of somebody who is known', () => {
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
  ])('is one message: %s %s', async (method, path, message) => {
    const body = method === 'POST' ? { title: 'Favourites' } : undefined;
    const { status } = await send(method, `${url}/api/v1${path}`, { token: 'writer', body });
    expect(status).toBeLessThan(300);
    expect(messages).toEqual([message]);
  });

  it('that is refused for its shape is none', async () => {
    const { status } = await send('GET', `${url}/api/v1/products?limit=0`, { token: 'writer' });
    expect(status).toBe(400);
    expect(messages).toEqual([]);
  });
});
