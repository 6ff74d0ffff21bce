import { jest } from '@jest/globals';
import { Redis } from 'ioredis';
import {
  nextOffsetHeader,
  type PayloadOf,
  problems,
  ProductListResponse,
  ProductResponse,
  type Services,
} from '#contracts';
import { BroadcastListener, publishBroadcast } from '#request-queue';
import { eventually, testRedisUrl } from '#testing';
import {
  bodyOf,
  catalogStack,
  type CatalogStack,
  outbox,
  wantedMaterial,
  wantedProduct,
} from '../testing/catalog-stack.js';
import { pageOfSale } from '../products/sale-page.queries.js';
import { SaleCache } from './sale.cache.js';

type NewSale = PayloadOf<Services['catalog'], 'sales.create'>;

/** Functions that fake timers would replace in addition to `Date`. */
const notFaked = [
  ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'] as const),
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
];

const shirt = 1;
const mug = 3;
let stack: CatalogStack;
/**
 * Products, those of the newest material first: a shirt and a mug of hanako, an unpublished shirt
 * of hanako, a shirt and a mug of taro.
 */
let products: Record<'shirt' | 'mug' | 'draft' | 'taroShirt' | 'taroMug', number>;

const amountOff = (amount: number) => ({ kind: 'amount', amount }) as const;
const percentOff = (percent: number) => ({ kind: 'percent', percent }) as const;
const onItem = (itemId: number) => ({ kind: 'item', itemId }) as const;
const onUser = (userName: string) => ({ kind: 'user', userName }) as const;
const onProduct = (productId: number) => ({ kind: 'product', productId }) as const;

const createSale = (more: Partial<NewSale> = {}) =>
  stack.sales.create({ name: 'Summer', target: onItem(shirt), discount: percentOff(10), ...more });
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
/** Advances the clock of this process, but not that of the database. */
const advance = (seconds: number) =>
  jest.useFakeTimers({ now: Date.now() + seconds * 1_000, doNotFake: [...notFaked] });

const onSale = async (viewerId: number, more: { limit?: number; offset?: number } = {}) => {
  const reply = await stack.products.onSale({ viewerId, limit: 50, offset: 0, ...more });
  const list = ProductListResponse.strict().parse(bodyOf(reply));
  expect(nextOffsetHeader in reply.headers).toBe(list.meta.hasNext);
  return list;
};
const idsOnSale = async (viewerId: number) => (await onSale(viewerId)).products.map(({ id }) => id);
const pricesOf = async (productId: number) => {
  const { product } = ProductResponse.parse(bodyOf(await stack.products.get(stack.hanako, productId)));
  const { priceWithTax, discountedPriceWithTax, discountedPrice } = product;
  return { priceWithTax, discountedPriceWithTax, discountedPrice };
};

beforeAll(async () => {
  stack = await catalogStack();
  const create = async (viewerId: number, wanted: ReturnType<typeof wantedProduct>[]) => {
    const reply = await stack.materials.create(wantedMaterial(viewerId, { price: 810, products: wanted }));
    return (bodyOf(reply) as { products: { id: number }[] }).products.map(({ id }) => id);
  };
  const [taroShirt, taroMug] = await create(stack.taro, [wantedProduct(shirt), wantedProduct(mug)]);
  const [draft] = await create(stack.hanako, [wantedProduct(shirt, { published: false })]);
  const [first, second] = await create(stack.hanako, [wantedProduct(shirt), wantedProduct(mug)]);
  products = { shirt: first!, mug: second!, draft: draft!, taroShirt: taroShirt!, taroMug: taroMug! };
});
afterAll(() => stack.close());
beforeEach(async () => {
  await stack.database.query('delete from sales');
  await stack.database.query('delete from outbox');
  stack.saleCache.invalidate();
});
afterEach(() => jest.useRealTimers());

describe('prices', () => {
  it('are lower from the start of a sale to its end, by the clock and without a broadcast', async () => {
    const full = { priceWithTax: 3311, discountedPriceWithTax: 3311, discountedPrice: 3010 };
    await createSale({ discount: amountOff(800), startsAt: inSeconds(60), endsAt: inSeconds(180) });
    expect(await pricesOf(products.shirt)).toEqual(full);
    advance(120);
    expect(await pricesOf(products.shirt)).toEqual({ ...full, discountedPriceWithTax: 2511, discountedPrice: 2283 });
    advance(120);
    expect(await pricesOf(products.shirt)).toEqual(full);
  });

  it('have the best discount of all sales of the product, and are never below zero', async () => {
    await createSale({ target: onUser('Hanako-1'), discount: percentOff(10) });
    await createSale({ target: onProduct(products.mug), discount: amountOff(100_000) });
    await createSale({ target: onItem(shirt), discount: amountOff(1) });
    expect(await pricesOf(products.shirt)).toMatchObject({ discountedPriceWithTax: 2979 });
    expect(await pricesOf(products.taroShirt)).toMatchObject({ discountedPriceWithTax: 3310 });
    expect(await pricesOf(products.mug)).toMatchObject({ discountedPriceWithTax: 0, discountedPrice: 0 });
    const { priceWithTax, discountedPriceWithTax } = await pricesOf(products.taroMug);
    expect(discountedPriceWithTax).toBe(priceWithTax);
  });

  it('are the same in all responses', async () => {
    await createSale({ target: onProduct(products.shirt), discount: amountOff(800) });
    const noFilters = { itemId: undefined, userId: undefined, userName: undefined, materialId: undefined };
    const page = { viewerId: stack.hanako, limit: 1, offset: 1 };
    const entries = [{ productId: products.shirt, itemVariantId: null }];
    const { materialId } = (
      await stack.database.query<{ materialId: number }>(
        'select material_id as "materialId" from products where id = $1',
        [products.shirt],
      )
    )[0]!;
    const responses = [
      bodyOf(await stack.products.list({ ...page, ...noFilters })),
      bodyOf(await stack.products.search({ ...page, q: 'lighthouse', itemId: undefined })),
      bodyOf(await stack.products.onSale({ ...page, offset: 0 })),
      bodyOf(await stack.products.chosen({ viewerId: stack.hanako, entries, nextOffset: null })),
      JSON.parse(String(await stack.products.ofMaterial(stack.hanako, materialId))),
    ] as { products: { id: number; discountedPriceWithTax: number }[] }[];
    for (const { products: shown } of responses)
      expect(shown.find(({ id }) => id === products.shirt)).toMatchObject({ discountedPriceWithTax: 2511 });
  });

  it('of a new product include the sale of its item', async () => {
    await createSale({ discount: amountOff(800) });
    const reply = await stack.materials.create(wantedMaterial(stack.hanako, { products: [wantedProduct(shirt)] }));
    const { material, products: created } = bodyOf(reply) as {
      material: { id: number };
      products: { discountedPriceWithTax: number }[];
    };
    expect(created[0]!.discountedPriceWithTax).toBe(1950);
    await stack.materials.delete(stack.hanako, material.id);
  });
});

describe('ProductQueries.onSale', () => {
  it('returns no products without a sale', async () => {
    expect(await onSale(stack.hanako)).toEqual({ products: [], meta: { hasNext: false } });
  });

  it('returns the products of items, users and products on sale, newest first, without duplicates', async () => {
    await createSale({ target: onItem(shirt) });
    expect(await idsOnSale(stack.taro)).toEqual([products.shirt, products.taroShirt]);
    await createSale({ target: onUser('Hanako-1') });
    expect(await idsOnSale(stack.taro)).toEqual([products.mug, products.shirt, products.taroShirt]);
    await createSale({ target: onProduct(products.taroMug) });
    expect(await idsOnSale(999)).toEqual([products.mug, products.shirt, products.taroMug, products.taroShirt]);
  });

  it('includes drafts of the viewer for every kind of sale', async () => {
    for (const target of [onItem(shirt), onUser('Hanako-1'), onProduct(products.draft)]) {
      const { id } = await createSale({ target });
      expect(await idsOnSale(stack.hanako)).toContain(products.draft);
      expect(await idsOnSale(stack.taro)).not.toContain(products.draft);
      await stack.sales.end(id);
    }
  });

  it('returns discounted prices', async () => {
    await createSale({ target: onUser('taro'), discount: amountOff(800) });
    const { products: shown } = await onSale(999);
    expect(shown.map((it) => it.priceWithTax - it.discountedPriceWithTax)).toEqual([800, 800]);
  });

  it('omits products of future, expired and ended sales', async () => {
    await createSale({ startsAt: inSeconds(600) });
    await createSale({ endsAt: inSeconds(60) });
    const { id } = await createSale({ target: onItem(mug) });
    await stack.sales.end(id);
    expect(await idsOnSale(stack.hanako)).not.toEqual([]);
    advance(120);
    expect(await idsOnSale(stack.hanako)).toEqual([]);
  });

  it('pages without gaps or duplicates', async () => {
    await createSale({ target: onItem(shirt) });
    await createSale({ target: onUser('Hanako-1') });
    const all = await idsOnSale(stack.hanako);
    expect(all).toHaveLength(4);
    for (const limit of [1, 2, 3, 4]) {
      const seen: number[] = [];
      for (let offset = 0; offset < all.length; offset += limit) {
        const page = await onSale(stack.hanako, { limit, offset });
        seen.push(...page.products.map(({ id }) => id));
        expect(page.meta.hasNext).toBe(offset + limit < all.length);
      }
      expect(seen).toEqual(all);
    }
  });

  it('reads an index in the order of the list for each kind of target', async () => {
    const targets = { items: [shirt], users: [stack.taro], products: [products.mug] };
    const { sql, parameters } = pageOfSale({ viewerId: stack.hanako, limit: 20, offset: 0 }, targets);
    const plan = await stack.database.transaction(async (tx) => {
      // PostgreSQL would scan a table of a few rows
      for (const method of ['seqscan', 'bitmapscan']) await tx.query(`set local enable_${method} = off`);
      return JSON.stringify(await tx.query(`explain (format json) ${sql}`, [...parameters]));
    });
    for (const index of ['products_listed_of_item', 'products_listed_of_user', 'products_unlisted_of_user'])
      expect(plan).toContain(`"Index Name":"${index}"`);
    expect(plan).not.toContain(
      '"Node Type":"Seq Scan","Parent Relationship":"Outer","Parallel Aware":false,"Relation Name":"products"',
    );
  });
});

describe('SaleService', () => {
  it('creates a sale and appends an event', async () => {
    const startsAt = '2026-01-01T00:00:00+09:00';
    const sale = await createSale({ target: onUser('Hanako-1'), discount: amountOff(500), startsAt });
    expect(sale).toEqual({
      id: expect.any(Number),
      name: 'Summer',
      target: onUser('Hanako-1'),
      discount: amountOff(500),
      startsAt: '2025-12-31T15:00:00.000Z',
      endsAt: null,
      state: 'running',
    });
    const coming = await createSale({
      startsAt: inSeconds(60),
      endsAt: inSeconds(120),
      target: onProduct(products.mug),
    });
    expect(coming).toMatchObject({ target: onProduct(products.mug), state: 'upcoming' });
    expect(await stack.saleQueries.list()).toEqual([coming, sale]);
    expect((await outbox(stack.database)).map(({ name }) => name)).toEqual(['sales.changed', 'sales.changed']);
  });

  it('ends a sale once, also a future one', async () => {
    for (const startsAt of [undefined, inSeconds(60)]) {
      const { id } = await createSale({ startsAt });
      await stack.database.query('delete from outbox');
      const ended = await stack.sales.end(id);
      expect(ended.state).toBe('ended');
      expect(Date.parse(ended.endsAt!)).toBeLessThanOrEqual(Date.now());
      expect(await stack.sales.end(id)).toEqual(ended);
      expect(await outbox(stack.database)).toHaveLength(1);
    }
  });

  it('deletes a sale with its product', async () => {
    const reply = await stack.materials.create(wantedMaterial(stack.hanako, { products: [wantedProduct(shirt)] }));
    const created = bodyOf(reply) as { material: { id: number }; products: { id: number }[] };
    await createSale({ target: onProduct(created.products[0]!.id) });
    await stack.materials.delete(stack.hanako, created.material.id);
    expect(await stack.saleQueries.list()).toEqual([]);
  });

  it('rejects invalid sales, and writes nothing', async () => {
    const inAMinute = inSeconds(60);
    const invalid: [Partial<NewSale>, keyof typeof problems][] = [
      [{ target: onItem(999) }, 'item.not-found'],
      [{ target: onProduct(999_999) }, 'product.not-found'],
      [{ target: onUser('unknown') }, 'user.not-found'],
      [{ target: onUser('hanako-1') }, 'user.not-found'],
      [{ target: onUser('anonymous') }, 'user.not-found'],
      [{ startsAt: inAMinute, endsAt: inAMinute }, 'sale.invalid'],
      [{ startsAt: inSeconds(60), endsAt: inSeconds(30) }, 'sale.invalid'],
      [{ startsAt: inSeconds(-60), endsAt: inSeconds(-30) }, 'sale.invalid'],
    ];
    for (const [more, code] of invalid) await expect(createSale(more)).rejects.toMatchObject({ kind: problems[code] });
    await expect(stack.sales.end(999)).rejects.toMatchObject({ kind: problems['sale.not-found'] });
    expect(await stack.saleQueries.list()).toEqual([]);
    expect(await outbox(stack.database)).toEqual([]);
  });

  it('accepts amounts up to Number.MAX_SAFE_INTEGER', async () => {
    const { discount } = await createSale({ discount: amountOff(Number.MAX_SAFE_INTEGER) });
    expect(discount).toEqual(amountOff(Number.MAX_SAFE_INTEGER));
    expect(await pricesOf(products.shirt)).toMatchObject({ discountedPriceWithTax: 0 });
  });

  it('invalidates the cache of another process by broadcast', async () => {
    const redisUrl = testRedisUrl();
    const listener = new BroadcastListener({ redisUrl });
    const redis = new Redis(redisUrl);
    const other = new SaleCache(stack.saleQueries, listener);
    const targets = async () => (await other.running()).targets.items;
    try {
      other.onModuleInit();
      const subscribed = new Promise<void>((resolve) => listener.onGap(resolve));
      await listener.start();
      await subscribed;
      expect(await targets()).toEqual([]);
      await createSale();
      expect(await targets()).toEqual([]);
      const occurredAt = new Date().toISOString();
      const event = {
        id: crypto.randomUUID(),
        name: 'sales.changed',
        version: 1,
        occurredAt,
        payload: {},
        metadata: {},
      };
      await publishBroadcast(redis, event as Parameters<typeof publishBroadcast>[1]);
      await eventually('the sale', async () => (await targets()).includes(shirt));
    } finally {
      other.onModuleDestroy();
      listener.close();
      redis.disconnect();
    }
  });
});
