import { ProductFavoriteListResponse, problems } from '#contracts';
import { newestStamps } from './favorite.queries.js';
import { bodyOf, socialStack, type SocialStack } from '../testing/social-stack.js';

let stack: SocialStack;
const page = { limit: 20, offset: 0 };

beforeAll(async () => {
  stack = await socialStack();
});
afterAll(() => stack.close());
beforeEach(() => stack.empty());

const ofProduct = (more: Partial<Parameters<SocialStack['favoriteQueries']['ofProduct']>[0]> = {}) =>
  stack.favoriteQueries.ofProduct({ viewerId: stack.jiro, productId: 10, ...page, ...more });
const ofUser = (more: Partial<Parameters<SocialStack['favoriteQueries']['ofUser']>[0]> = {}) =>
  stack.favoriteQueries.ofUser({ viewerId: stack.jiro, userId: stack.taro, ...page, ...more });
const usersOf = async (...request: Parameters<typeof ofProduct>) =>
  bodyOf('favorites.of-product', await ofProduct(...request)).favorites.map(({ user }) => user.id);
const productsOf = async (...request: Parameters<typeof ofUser>) =>
  bodyOf('favorites.of-user', await ofUser(...request)).favorites.map(({ product }) => product.id);
const placeFavorite = (viewerId: number, productId: number, anonymous = false) =>
  stack.favorites.create({ viewerId, productId, anonymous, count: 2 });
const nextOffset = ({ headers }: { headers: object }) => (headers as Record<string, string>)['x-next-offset'];
const productNotFound = { kind: problems['product.not-found'] };

/** Inserts favorites with the same creation time, so that only the id orders them. */
const insertTiedFavorites = (userIds: readonly number[], productIds: readonly number[]) =>
  stack.database.query(
    `with counters as (insert into product_favorites select unnest($2::bigint[]), 0 on conflict do nothing)
     insert into favorites (user_id, product_id, count, anonymous, x, y, rotation)
     select user_id, product_id, 1, false, 0, 0, 0
     from unnest($1::bigint[]) as user_id, unnest($2::bigint[]) as product_id`,
    [userIds, productIds],
  );

describe('the favorites of a product', () => {
  beforeEach(() => stack.others.addProducts([10, 11], stack.hanako));

  it('are listed newest first, with their users', async () => {
    await placeFavorite(stack.taro, 10);
    await placeFavorite(stack.hanako, 10);
    await placeFavorite(stack.jiro, 11);
    const reply = await ofProduct();
    const response = ProductFavoriteListResponse.strict().parse(bodyOf('favorites.of-product', reply));
    expect(response).toEqual({
      favorites: [
        {
          id: expect.any(Number),
          count: 2,
          productId: 10,
          user: {
            id: stack.hanako,
            name: 'Hanako-1',
            displayName: 'Hanako',
            avatarUrl: 'https://example.com/1.png',
          },
        },
        {
          id: expect.any(Number),
          count: 2,
          productId: 10,
          user: { id: stack.taro, name: 'taro', displayName: null, avatarUrl: null },
        },
      ],
      meta: { hasNext: false },
    });
    expect(nextOffset(reply)).toBeUndefined();
  });

  it('exclude anonymous favorites, also for the user who placed them', async () => {
    await placeFavorite(stack.taro, 10, true);
    await placeFavorite(stack.hanako, 10);
    expect(await usersOf()).toEqual([stack.hanako]);
    expect(await usersOf({ viewerId: stack.taro })).toEqual([stack.hanako]);
  });

  it('are empty when the product is of another item', async () => {
    await placeFavorite(stack.taro, 10);
    expect(await usersOf({ itemId: 1 })).toEqual([stack.taro]);
    expect(bodyOf('favorites.of-product', await ofProduct({ itemId: 2 }))).toEqual({
      favorites: [],
      meta: { hasNext: false },
    });
  });

  it('are empty without favorites', async () => {
    expect(await usersOf()).toEqual([]);
  });

  it('return product.not-found when the product is unknown, deleted or invisible to the viewer', async () => {
    await placeFavorite(stack.taro, 10);
    await stack.others.publish(10, false);
    await expect(ofProduct()).rejects.toMatchObject(productNotFound);
    await expect(ofProduct({ itemId: 2 })).rejects.toMatchObject(productNotFound);
    expect(await usersOf({ viewerId: stack.hanako })).toEqual([stack.taro]);
    await stack.others.deleteProducts([10]);
    await expect(ofProduct({ viewerId: stack.hanako })).rejects.toMatchObject(productNotFound);
    await expect(ofProduct({ productId: 999 })).rejects.toMatchObject(productNotFound);
  });

  it('have pages without gaps or repetitions across ties, and an exact hasNext', async () => {
    await insertTiedFavorites([stack.hanako, stack.taro, stack.jiro], [10, 11]);
    const seen: number[] = [];
    for (const offset of [0, 1, 2]) {
      const reply = await ofProduct({ limit: 1, offset });
      const { favorites, meta } = bodyOf('favorites.of-product', reply);
      seen.push(...favorites.map(({ id }) => id));
      expect(meta.hasNext).toBe(offset < 2);
      expect(nextOffset(reply)).toBe(offset < 2 ? String(offset + 1) : undefined);
    }
    expect(new Set(seen).size).toBe(3);
    expect(seen).toEqual([...seen].sort((a, b) => b - a));
    expect(await usersOf({ offset: 999_999_999 })).toEqual([]);
  });
});

describe('the favorites of a user', () => {
  beforeEach(() => stack.others.addProducts([10, 11, 12, 13], stack.hanako));

  it('are listed newest first, with the products in their representative variant', async () => {
    await placeFavorite(stack.taro, 10);
    await placeFavorite(stack.taro, 11);
    await placeFavorite(stack.jiro, 12);
    expect(bodyOf('favorites.of-user', await ofUser())).toEqual({
      favorites: [11, 10].map((id) => ({
        id: expect.any(Number),
        count: 2,
        product: { id, sampleItemVariant: { id: null } },
      })),
      meta: { hasNext: false },
    });
    expect(stack.catalog.pages[0]).toMatchObject({
      viewerId: stack.jiro,
      entries: [{ productId: 11 }, { productId: 10 }],
    });
  });

  it('include anonymous favorites only for the user', async () => {
    await placeFavorite(stack.taro, 10);
    await placeFavorite(stack.taro, 11, true);
    expect(await productsOf()).toEqual([10]);
    expect(await productsOf({ viewerId: stack.taro })).toEqual([11, 10]);
  });

  it('exclude products the viewer may not see, and still have full pages', async () => {
    await insertTiedFavorites([stack.taro], [10, 11, 12, 13]);
    await stack.others.publish(12, false);
    await stack.others.deleteProducts([11]);
    const { favorites, meta } = bodyOf('favorites.of-user', await ofUser({ limit: 1 }));
    expect([favorites.map(({ product }) => product.id), meta]).toEqual([[13], { hasNext: true }]);
    expect(bodyOf('favorites.of-user', await ofUser({ limit: 2 }))).toMatchObject({ meta: { hasNext: false } });
    expect(await productsOf()).toEqual([13, 10]);
    // The creator of the product still sees it, also in another user's list
    expect(await productsOf({ viewerId: stack.hanako })).toEqual([13, 12, 10]);
    expect(await productsOf({ viewerId: stack.taro })).toEqual([13, 10]);
  });

  it('exclude products deleted before the catalog reads them', async () => {
    await insertTiedFavorites([stack.taro], [10, 11, 12]);
    stack.catalog.beforePage = () => stack.others.deleteProducts([11]);
    const reply = await ofUser({ limit: 2 });
    const { favorites, meta } = bodyOf('favorites.of-user', reply);
    expect([favorites.map(({ product }) => product.id), meta]).toEqual([[12], { hasNext: true }]);
    expect(nextOffset(reply)).toBe('2');
  });

  it('are returned without a call to the catalog when there are none', async () => {
    expect(await productsOf()).toEqual([]);
    expect(stack.catalog.pages).toEqual([]);
  });

  it('return user.not-found for an unknown user and for the anonymous user', async () => {
    for (const userId of [0, 999, Number.MAX_SAFE_INTEGER])
      await expect(ofUser({ userId })).rejects.toMatchObject({ kind: problems['user.not-found'] });
  });

  it('are rejected with the error of the catalog', async () => {
    await placeFavorite(stack.taro, 10);
    stack.catalog.beforePage = () => Promise.reject(new Error('the catalog failed'));
    await expect(ofUser()).rejects.toThrow('the catalog failed');
  });
});

describe('the stamps of a product', () => {
  beforeEach(() => stack.others.addProducts([10, 11], stack.hanako));
  const stampsOf = (productId: number) => stack.favoriteQueries.stamps({ productId });

  it('are those of all users, newest first, with the total count of the product', async () => {
    const placed = [];
    for (const [viewerId, anonymous] of [
      [stack.taro, false],
      [stack.jiro, true],
    ] as const)
      placed.unshift(bodyOf('favorites.create', await placeFavorite(viewerId, 10, anonymous)).favorite);
    await placeFavorite(stack.taro, 11);
    expect(await stampsOf(10)).toEqual({
      totalCount: 4,
      stamps: placed.map(({ x, y, rotation, count }) => ({ x, y, rotation, count })),
    });
  });

  it('are empty for a product without favorites and for an unknown one', async () => {
    expect(await stampsOf(10)).toEqual({ totalCount: 0, stamps: [] });
    expect(await stampsOf(999)).toEqual({ totalCount: 0, stamps: [] });
  });

  it('are limited to the newest 100', async () => {
    await stack.database.query(
      `with counters as (insert into product_favorites values (10, 101))
       insert into favorites (user_id, product_id, count, anonymous, x, y, rotation, created_at)
       select n, 10, 1, n % 2 = 0, 0.5, 0.5, n % 30, now() - n * interval '1 minute' from generate_series(1, 101) as n`,
    );
    const { stamps } = await stampsOf(10);
    expect(stamps.map(({ rotation }) => rotation)).toEqual(Array.from({ length: 100 }, (_, n) => (n + 1) % 30));
  });

  it('are read from an index in the order of the list', async () => {
    const plan = await stack.database.transaction(async (tx) => {
      // PostgreSQL would scan and sort a table of a few rows
      for (const method of ['seqscan', 'bitmapscan', 'sort']) await tx.query(`set local enable_${method} = off`);
      return JSON.stringify(await tx.query(`explain (format json) ${newestStamps}`, [10]));
    });
    expect(plan).toContain('"Index Name":"favorites_of_product"');
    expect(plan).not.toContain('"Node Type":"Sort"');
  });
});

describe('own favorites', () => {
  beforeEach(() => stack.others.addProducts([10, 11, 12], stack.hanako));

  it('are those of the request with a favorite of this viewer, also an anonymous one', async () => {
    await placeFavorite(stack.jiro, 10);
    await placeFavorite(stack.jiro, 11, true);
    await placeFavorite(stack.taro, 12);
    const { productIds } = await stack.favoriteQueries.own({ viewerId: stack.jiro, productIds: [11, 12, 999] });
    expect(productIds).toEqual([11]);
  });
});
