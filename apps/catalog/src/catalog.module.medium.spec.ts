import { Controller, type INestMicroservice, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { deferred } from '#concurrency';
import { readEnvironment } from '#config';
import {
  nextOffsetHeader,
  type PayloadOf,
  problems,
  type PreviewArtwork,
  type Services,
  type Texture,
  type TextureSource,
} from '#contracts';
import { DomainError } from '#kernel';
import { createLog } from '#observability';
import { handlerFor, openQueueClients, QueueProblemFilter, type QueueClients, QueueServer } from '#request-queue';
import { eventually, testDatabase, testRedisUrl, type TestDatabase } from '#testing';
import { CatalogModule } from './catalog.module.js';
import { Env } from './env.js';
import { addUsers, wantedMaterial, wantedProduct } from './testing/catalog-stack.js';

const Handles = handlerFor('material-rendering');

/** Each `textures.store` waits until this promise is resolved. */
let textureDownload: Promise<unknown> = Promise.resolve();
let pendingTextures = 0;

const texture: Texture = {
  hash: 'a'.repeat(64),
  format: 'png',
  width: 64,
  height: 64,
  bytes: 1,
  dominantRgb: null,
};

/** Fake of the app material-rendering. */
@Controller()
class FakeRenderingController {
  @Handles('health.check')
  check(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Handles('textures.store')
  async store(@Payload() { sources }: { sources: TextureSource[] }): Promise<Texture[]> {
    pendingTextures += 1;
    await textureDownload;
    pendingTextures -= 1;
    const message = 'nothing can be seen on it';
    const upload = sources.findIndex(({ kind }) => kind === 'upload');
    if (upload >= 0)
      throw new DomainError(problems['texture.empty'], message, [{ path: `sources.${upload}`, message }]);
    return sources.map(() => texture);
  }

  @Handles('textures.render-text')
  renderText(): Texture {
    return texture;
  }

  @Handles('images.render')
  render(): { key: string } {
    return { key: 'images/none' };
  }

  @Handles('wearing-images.render')
  renderWearing(): { key: string } {
    return { key: 'wearing/none' };
  }

  @Handles('images.used')
  used(): null {
    return null;
  }

  @Handles('previews.prepare')
  preparePreview(): PreviewArtwork {
    const { hash, width, height, dominantRgb } = texture;
    return { hash, key: `textures/${hash}`, width, height, dominantRgb, expiresAt: 1, sweepAt: 2 };
  }

  @Handles('previews.render')
  renderPreview(): never {
    throw new Error('not used by any test');
  }

  @Handles('preflight.measure')
  preflight(): never {
    throw new Error('not used by any test');
  }

  @Handles('productions.list')
  listProductions(): never {
    throw new Error('not used by any test');
  }

  @Handles('productions.show')
  showProduction(): never {
    throw new Error('not used by any test');
  }

  @Handles('productions.retry')
  retryProduction(): never {
    throw new Error('not used by any test');
  }

  @Handles('print-files.request')
  requestPrintFiles(): never {
    throw new Error('not used by any test');
  }

  @Handles('print-files.status')
  printFiles(): never {
    throw new Error('not used by any test');
  }

  @Handles('external-images.store')
  storeExternalImage(): never {
    throw new Error('not used by any test');
  }
}

@Module({ controllers: [FakeRenderingController] })
class FakeRenderingModule {}

const log = createLog({ app: 'catalog', level: 'silent', format: 'json' });
let db: TestDatabase;
let apps: INestMicroservice[];
let clients: QueueClients;
let viewerId: number;
let startCatalog: () => Promise<INestMicroservice>;

beforeAll(async () => {
  db = await testDatabase('catalog');
  viewerId = (await addUsers(db.ownerUrl)).hanako;
  const redisUrl = testRedisUrl();
  const env = readEnvironment(Env, {
    DATABASE_URL: db.url,
    REDIS_REQUESTS_URL: redisUrl,
    REDIS_JOBS_URL: testRedisUrl(),
    BASE_URL: 'https://shop.example.com',
    IMAGE_SIGNING_SECRET: 'a secret that is long enough for a key',
  });
  const open = async (module: Parameters<typeof Test.createTestingModule>[0], service: keyof Services) => {
    const app = (await Test.createTestingModule(module).compile()).createNestMicroservice({
      strategy: new QueueServer({ service, redisUrl }),
      logger: false,
    });
    app.useGlobalFilters(new QueueProblemFilter(log));
    await app.listen();
    return app;
  };
  startCatalog = () => open({ imports: [CatalogModule.with(env, log)] }, 'catalog');
  apps = [await open({ imports: [FakeRenderingModule] }, 'material-rendering'), await startCatalog()];
  clients = await openQueueClients({ app: 'gateway', redisUrl, services: ['catalog'] });
  await clients.of('catalog').call('items.load', {});
});
afterAll(async () => {
  await clients.close();
  for (const app of apps.reverse()) await app.close();
  await db.close();
});

const create = (more: Partial<PayloadOf<Services['catalog'], 'materials.create'>> = {}) =>
  clients.of('catalog').call('materials.create', wantedMaterial(viewerId, { products: [wantedProduct(1)], ...more }));
const page = { limit: 20, offset: 0, itemId: undefined, userId: undefined, userName: undefined, materialId: undefined };

it('reports that it is healthy', async () => {
  expect(await clients.of('catalog').call('health.check', {})).toEqual({ status: 'ok' });
});

it('creates a material with a texture stored by material-rendering, and shows its product', async () => {
  const { material, products } = await create();
  const productId = products[0]!.id;
  const list = await clients.of('catalog').call('products.list', { ...page, viewerId, materialId: material.id });
  expect(list.products.map(({ id }) => id)).toEqual([productId]);
  const { status, headers, body } = await clients.of('catalog').request('products.get', { viewerId, productId });
  expect(status).toBe(200);
  expect(headers.etag).toMatch(/^"[\w-]{43}"$/);
  expect(JSON.parse(body.toString()).product).toMatchObject({ id: productId, material: { id: material.id } });
  const { materials } = await clients.of('catalog').call('materials.list', { ...page, viewerId });
  expect(materials.map(({ id }) => id)).toContain(material.id);
  expect(
    (await clients.of('catalog').call('materials.image-source', { materialId: material.id })).products,
  ).toHaveLength(1);
});

it('returns 422 with the path of a texture that material-rendering rejects', async () => {
  const texture = { kind: 'upload', key: `uploads/${'0'.repeat(36)}` } as const;
  await expect(create({ texture })).rejects.toMatchObject({
    kind: problems['texture.empty'],
    errors: [{ path: 'body.texture', message: 'nothing can be seen on it' }],
  });
});

it('serves reads while more creations than slots wait for textures', async () => {
  const { promise, resolve: finishDownload } = deferred();
  textureDownload = promise;
  const wanted = wantedMaterial(viewerId, { title: 'Slow' });
  const creations = Array.from({ length: 100 }, () =>
    clients.of('catalog').call('materials.create', wanted, { timeoutMs: 60_000 }),
  );
  await eventually('full slots', () => pendingTextures === 64);
  expect((await clients.of('catalog').request('items.list', {})).status).toBe(200);
  finishDownload();
  // All of them then compete for ten database connections: a busy machine may reject some
  await Promise.allSettled(creations);
});

it('returns a material, updates it, and hides it when an operator marks a violation', async () => {
  const catalog = clients.of('catalog');
  const { id: materialId } = (await create()).material;
  const changed = await catalog.call('materials.update', {
    viewerId,
    materialId,
    title: 'Tower',
    products: [{ itemId: 3 }],
    language: 'en',
  });
  const { warnings, ...updated } = changed;
  expect(updated.products).toHaveLength(2);
  expect(new Set(warnings.map(({ itemId }) => itemId))).toEqual(new Set([1, 3]));
  expect(await catalog.call('materials.get', { viewerId, materialId })).toEqual(updated);
  const moderation = { materialId, reason: 'not her image' };
  const reply = { id: materialId, title: 'Tower', userName: 'Hanako-1', reason: 'not her image' };
  expect(await catalog.call('materials.violate', moderation)).toEqual({ ...reply, violation: true });
  expect(await catalog.call('materials.show', { materialId })).toEqual({ ...reply, userId: viewerId, violation: true });
  const found = await catalog.call('materials.find', { userName: 'hanako-1', limit: 1, offset: 0 });
  expect(found).toEqual({ materials: [{ ...reply, violation: true }], nextOffset: 1 });
  const ofOtherUser = { viewerId: viewerId + 1, materialId };
  expect((await catalog.request('materials.get', ofOtherUser)).status).toBe(404);
  expect((await catalog.request('materials.violation-reason', ofOtherUser)).status).toBe(404);
  const reasonNow = () => catalog.call('materials.violation-reason', { viewerId, materialId });
  expect(await reasonNow()).toEqual({ reason: 'not her image' });
  expect(await catalog.call('materials.clear', moderation)).toEqual({ ...reply, violation: false });
  expect(await reasonNow()).toEqual({ reason: null });
  expect((await catalog.call('materials.get', ofOtherUser)).products).toHaveLength(1);
});

it('creates a material of a text once per idempotency key', async () => {
  const idempotency = { key: 'once', fingerprint: 'a'.repeat(64) };
  const wanted = { viewerId, text: 'Hello', price: 0, language: 'en', idempotency } as const;
  const first = await clients.of('catalog').request('materials.text', wanted);
  expect(JSON.parse(first.body.toString())).toMatchObject({ material: { title: 'Hello' } });
  const second = await clients.of('catalog').request('materials.text', wanted);
  expect(second.body.equals(first.body)).toBe(true);
  expect(second.headers).toMatchObject({ 'idempotency-replayed': 'true' });
  const invalid = { ...wanted, itemVariantId: 999_999, idempotency: { ...idempotency, key: 'invalid' } };
  const rejections = [
    await clients.of('catalog').request('materials.text', invalid),
    await clients.of('catalog').request('materials.text', invalid),
  ];
  expect(rejections.map(({ status }) => status)).toEqual([422, 422]);
  expect(rejections[1]!.body.equals(rejections[0]!.body)).toBe(true);
  expect(rejections[1]!.headers).toMatchObject({ 'idempotency-replayed': 'true' });
});

it('returns 204 without a body for a deletion, and 404 when it is repeated', async () => {
  const { material } = await create();
  const remove = () => clients.of('catalog').request('materials.delete', { viewerId, materialId: material.id });
  const first = await remove();
  expect([first.status, first.body.length]).toEqual([204, 0]);
  const second = await remove();
  expect(second.status).toBe(404);
  expect(JSON.parse(second.body.toString())).toMatchObject({ code: 'material.not-found' });
});

it('lists search results, products on sale, and pages composed by another service', async () => {
  const { products } = await create({ title: 'Unique-word' });
  const { id: productId } = products[0]!;
  const idsOf = async (reply: Promise<{ products: { id: number }[] }>) => (await reply).products.map(({ id }) => id);
  const paging = { viewerId, limit: 20, offset: 0 };
  expect(
    await idsOf(clients.of('catalog').call('products.search', { ...paging, q: 'UNIQUE', itemId: undefined })),
  ).toEqual([productId]);
  const chosen = await clients.of('catalog').call('products.choose', { viewerId, entries: [{ productId }] });
  const chosenPage = { viewerId, entries: chosen.entries, nextOffset: 20 };
  expect(await idsOf(clients.of('catalog').call('products.page', chosenPage))).toEqual([productId]);
  expect((await clients.of('catalog').request('products.page', chosenPage)).headers[nextOffsetHeader]).toBe('20');

  const sale = await clients.of('catalog').call('sales.create', {
    name: 'Summer',
    target: { kind: 'product', productId },
    discount: { kind: 'percent', percent: 50 },
  });
  expect(await idsOf(clients.of('catalog').call('products.on-sale', paging))).toEqual([productId]);
  expect(await clients.of('catalog').call('sales.list', {})).toEqual({ sales: [sale] });
  const ended = await clients.of('catalog').call('sales.end', { saleId: sale.id });
  expect(ended.state).toBe('ended');
  expect(await idsOf(clients.of('catalog').call('products.on-sale', paging))).toEqual([]);
  const sold = await clients.of('catalog').call('sales.record', { productId, buyerName: 'taro' });
  expect(sold).toMatchObject({ productId, ownerName: 'Hanako-1', buyerName: 'taro', quantity: 1 });
});

it('shows banners, promotions and categories', async () => {
  const banner = await clients.of('catalog').call('banners.create', {
    displaySize: 'wide',
    imageUrl: 'https://example.com/a',
  });
  expect(await clients.of('catalog').call('banners.list', { withLinks: true })).toEqual({ banners: [banner] });
  expect(await clients.of('catalog').call('banners.delete', { bannerId: banner.id })).toEqual({ deleted: true });
  const wanted = { name: 'Summer', category: 'sale', url: 'https://example.com/summer' };
  const promotion = await clients.of('catalog').call('promotions.create', wanted);
  expect(await clients.of('catalog').call('promotions.list', {})).toEqual({ promotions: [promotion] });
  expect(await clients.of('catalog').call('promotions.delete', { promotionId: promotion.id })).toEqual({
    deleted: true,
  });
  const { headers } = await clients.of('catalog').request('categories.list', {});
  expect(headers.etag).toMatch(/^"[\w-]+"$/);
  expect((await clients.of('catalog').call('categories.list', {})).categories[0]!.name).toBe('clothes');
});

it('publishes its events until the outbox is empty', async () => {
  await create();
  await eventually('an empty outbox', async () => {
    const [row] = await db.database.query<{ count: number }>('select count(*)::int as count from outbox');
    return row!.count === 0;
  });
});

it('fills the search columns of products of an older version at startup', async () => {
  await create({ title: 'Zqxjkvw' });
  await db.database.query('update products set search_text = null, search_tokens = null');
  const found = async () =>
    (await clients.of('catalog').call('products.search', { viewerId, q: 'zqxjkvw', ...page })).products;
  expect(await found()).toEqual([]);
  apps.push(await startCatalog());
  await eventually('the product by its title', async () => (await found()).length === 1);
});
