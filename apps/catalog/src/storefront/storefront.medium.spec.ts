import { problems } from '#contracts';
import { testDatabase, type TestDatabase } from '#testing';
import { BannerEntity } from './banner.entity.js';
import { PromotionEntity } from './promotion.entity.js';
import { StorefrontQueries } from './storefront.queries.js';
import { StorefrontRepository } from './storefront.repository.js';

let db: TestDatabase;
let queries: StorefrontQueries;
let repository: StorefrontRepository;

beforeAll(async () => {
  db = await testDatabase('catalog', [BannerEntity, PromotionEntity]);
  queries = new StorefrontQueries(db.database);
  repository = new StorefrontRepository(db.database);
});
afterAll(() => db.close());

it('lists banners newest first until they are deleted', async () => {
  expect(await queries.banners()).toEqual([]);
  const link = { altText: 'Small things', linkUrl: 'https://example.com/small' };
  const wide = await repository.addBanner({ displaySize: 'wide', imageUrl: 'https://example.com/wide.png' });
  const small = await repository.addBanner({
    displaySize: 'small',
    imageUrl: 'https://example.com/small.png',
    ...link,
  });
  const record = { id: wide.id, displaySize: 'wide', imageUrl: 'https://example.com/wide.png' };
  expect(wide).toEqual({ ...record, altText: null, linkUrl: null });
  expect(await queries.banners({ withLinks: true })).toEqual([small, wide]);
  expect((await queries.banners()).at(-1)).toEqual(record);
  await repository.deleteBanner(small.id);
  expect(await queries.banners({ withLinks: true })).toEqual([wide]);
  await expect(repository.deleteBanner(small.id)).rejects.toMatchObject({ kind: problems['banner.not-found'] });
});

it('lists promotions newest first until they are deleted', async () => {
  expect(await queries.promotions()).toEqual([]);
  const fields = { category: 'sale', url: 'https://example.com/' };
  const summer = await repository.addPromotion({ name: 'Summer', ...fields });
  const winter = await repository.addPromotion({ name: 'Winter', ...fields });
  expect(summer).toEqual({ id: expect.any(Number), name: 'Summer', ...fields });
  expect(await queries.promotions()).toEqual([winter, summer]);
  await repository.deletePromotion(winter.id);
  expect(await queries.promotions()).toEqual([summer]);
  await expect(repository.deletePromotion(winter.id)).rejects.toMatchObject({
    kind: problems['promotion.not-found'],
  });
});
