import { problems } from '#contracts';
import { DomainError } from '#kernel';
import type { QueueClients } from '#request-queue';
import { testDatabase, type TestDatabase } from '#testing';
import { FavoriteEntity } from './favorite.entity.js';
import { FavoriteRepository } from './favorite.repository.js';
import { FavoriteService } from './favorite.service.js';
import { ProductFavoritesEntity } from './product-favorites.entity.js';

let db: TestDatabase;
let favorites: FavoriteService;

/** Stands for another service: product 404 may not be seen, all others belong to user 7. */
const catalog = {
  call: (_name: string, { productId }: { productId: number }) =>
    productId === 404
      ? Promise.reject(new DomainError(problems['product.not-found'], 'There is no product 404.'))
      : Promise.resolve({ productId, title: `Product ${productId}`, ownerId: 7 }),
};
const once = { viewerId: 1, productId: 10, anonymous: false, count: 1 };
const outbox = () => db.database.query<{ payload: unknown }>('select name, payload from outbox order by seq');

beforeAll(async () => {
  db = await testDatabase('social', [FavoriteEntity, ProductFavoritesEntity]);
  favorites = new FavoriteService({ catalog } as unknown as QueueClients, new FavoriteRepository(db.database));
});
afterAll(() => db.close());
beforeEach(async () => {
  for (const table of ['favorites', 'product_favorites', 'outbox']) await db.database.query(`delete from ${table}`);
});

describe('a favorite', () => {
  it('is answered with its count, its stamp and the count of all users', async () => {
    await favorites.create({ ...once, viewerId: 2, count: 3 });
    const { favorite, meta } = await favorites.create({ ...once, count: 2 });
    expect(meta).toEqual({ totalCount: 5 });
    expect(favorite).toEqual({
      id: expect.any(Number),
      count: 2,
      x: expect.any(Number),
      y: expect.any(Number),
      rotation: expect.any(Number),
    });
  });

  it('adds to the one that is there, whose id and stamp stay', async () => {
    const first = await favorites.create(once);
    const second = await favorites.create({ ...once, count: 100 });
    expect(second).toEqual({ favorite: { ...first.favorite, count: 101 }, meta: { totalCount: 101 } });
  });

  it('counts for one product only', async () => {
    await favorites.create(once);
    expect((await favorites.create({ ...once, productId: 11 })).meta.totalCount).toBe(1);
  });

  it('is anonymous when it was wished so last', async () => {
    await favorites.create(once);
    await favorites.create({ ...once, anonymous: true });
    expect(await db.database.query('select anonymous from favorites')).toEqual([{ anonymous: true }]);
  });

  it('says what was favored by whom', async () => {
    await favorites.create(once);
    const { favorite } = await favorites.create({ ...once, anonymous: true, count: 4 });
    expect((await outbox())[1]).toEqual({
      name: 'favorite.placed',
      payload: {
        favoriteId: favorite.id,
        productId: 10,
        productTitle: 'Product 10',
        ownerId: 7,
        userId: 1,
        anonymous: true,
        count: 5,
      },
    });
  });

  it('is refused on a product that the viewer may not see, and nothing is written', async () => {
    await expect(favorites.create({ ...once, productId: 404 })).rejects.toMatchObject({
      kind: { code: 'product.not-found', status: 404 },
    });
    expect(await db.database.query('select from favorites union all select from product_favorites')).toEqual([]);
    expect(await outbox()).toEqual([]);
  });

  it('loses none of two hundred that one user places at once', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => favorites.create(once)));
    const upTo200 = Array.from({ length: 200 }, (_, n) => n + 1);
    expect(answers.map(({ favorite }) => favorite.count).sort((a, b) => a - b)).toEqual(upTo200);
    expect(answers.map(({ meta }) => meta.totalCount).sort((a, b) => a - b)).toEqual(upTo200);
    expect(new Set(answers.map(({ favorite: { id, x, y, rotation } }) => `${id} ${x} ${y} ${rotation}`)).size).toBe(1);
    expect(await outbox()).toHaveLength(200);
  });

  it('loses none that many users place on many products at once', async () => {
    await Promise.all(
      Array.from({ length: 120 }, (_, n) =>
        favorites.create({ ...once, viewerId: 1 + (n % 3), productId: 1 + (n % 4), count: 2 }),
      ),
    );
    expect(await db.database.query('select total_count as n from product_favorites')).toEqual(Array(4).fill({ n: 60 }));
    expect(await db.database.query('select sum(count)::int as n from favorites')).toEqual([{ n: 240 }]);
  });
});
