import { type PayloadOf, type Services } from '#contracts';
import { handlerFor, type QueueClient, type QueueClients, type QueueContext, type RawReply } from './index.js';

const Handles = handlerFor('catalog');
type Catalog = Services['catalog'];

// The compiler checks this file: each line after a `@ts-expect-error` must not compile.
class Handlers {
  @Handles('products.get')
  get(payload: PayloadOf<Catalog, 'products.get'>, context: QueueContext): Promise<RawReply> {
    return Promise.reject(new Error(`${payload.productId} ${context.remainingMs}`));
  }

  @Handles('materials.delete')
  async delete(payload: { viewerId: number }): Promise<void> {
    await Promise.resolve(payload);
  }

  // @ts-expect-error -- the catalog has no such message
  @Handles('products.gte')
  unknownName(): Promise<RawReply> {
    return Promise.reject(new Error());
  }

  // @ts-expect-error -- productId is a number
  @Handles('products.get')
  wrongPayload(payload: { productId: string }): Promise<RawReply> {
    return Promise.reject(new Error(payload.productId));
  }

  // @ts-expect-error -- the payload has no color
  @Handles('products.get')
  missingField(payload: { color: string }): Promise<RawReply> {
    return Promise.reject(new Error(payload.color));
  }

  // @ts-expect-error -- entries is an array
  @Handles('products.choose')
  wrongReply(): { entries: string } {
    return { entries: 'x' };
  }
}

async function callAll(clients: QueueClients): Promise<number[]> {
  const catalog: QueueClient<Catalog> = clients.of('catalog');
  // @ts-expect-error -- the catalog has no such message
  await catalog.call('products.gte', {});
  // @ts-expect-error -- productId is missing
  await catalog.call('products.get', { viewerId: 1 });
  // @ts-expect-error -- productId is a number
  await clients.of('catalog').request('products.get', { viewerId: 1, productId: '2' });
  // @ts-expect-error -- unknown service
  clients.of('katalog');
  const { product } = await clients.of('catalog').call('products.get', { viewerId: 1, productId: 2 }, { timeoutMs: 5 });
  // @ts-expect-error -- a title is a string
  const title: number = product.title;
  return [product.id, title];
}

describe('types', () => {
  it('are checked when this file compiles', () => {
    expect([typeof Handlers, typeof callAll]).toEqual(['function', 'function']);
  });
});
