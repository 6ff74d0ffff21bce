import { BannerListResponse, CategoryListResponse, PromotionListResponse } from '#contracts';
import { createBanner, createPromotion, deleteBanner, deletePromotion, operatorError } from '../support/back-office.js';
import { api, call, newUser } from '../support/shop.js';

describe('the records of the storefront', () => {
  let token: string;
  beforeAll(async () => {
    token = (await newUser()).apiKey;
  });

  it('banners are created and deleted by an operator, newest first', async () => {
    const url = 'https://example.com/banners/';
    const first = await createBanner('large', `${url}1.png`);
    const second = await createBanner('小', `${url}2.png?a=b&c`, { altText: '夏', linkUrl: url });
    expect(second).toMatchObject({ altText: '夏', linkUrl: url });
    const ours = async () => {
      const response = await api('GET', '/banners', { token });
      expect([response.status, BannerListResponse.safeParse(response.body).error]).toEqual([200, undefined]);
      return response.body.banners.filter(({ imageUrl }: any) => imageUrl.startsWith(url));
    };
    expect(await ours()).toEqual([
      { id: second.id, displaySize: '小', imageUrl: `${url}2.png?a=b&c` },
      { id: first.id, displaySize: 'large', imageUrl: `${url}1.png` },
    ]);
    await deleteBanner(first.id);
    expect((await ours()).map((it: any) => it.id)).toEqual([second.id]);
    await deleteBanner(second.id);
    expect(await ours()).toEqual([]);
    expect(await operatorError(deleteBanner(second.id))).toMatch(/^banner\.not-found: /);
    expect(await operatorError(createBanner('large', 'javascript:alert(1)'))).toMatch(/http or https URL/);
    expect(await operatorError(createBanner('large', url, { linkUrl: url }))).toMatch(
      /altText is required with a link/,
    );
  });

  it('promotions are created and deleted by an operator, newest first', async () => {
    const url = 'https://example.com/promotions/';
    const first = await createPromotion('Summer sale', 'sale', `${url}1`);
    const second = await createPromotion('花火大会', 'event', `${url}2`);
    const ours = async () => {
      const response = await api('GET', '/promotions', { token });
      expect([response.status, PromotionListResponse.safeParse(response.body).error]).toEqual([200, undefined]);
      return response.body.promotions.filter((it: any) => it.url.startsWith(url));
    };
    expect(await ours()).toEqual([
      { id: second.id, name: '花火大会', category: 'event', url: `${url}2` },
      { id: first.id, name: 'Summer sale', category: 'sale', url: `${url}1` },
    ]);
    await deletePromotion(first.id);
    await deletePromotion(second.id);
    expect(await ours()).toEqual([]);
    expect(await operatorError(deletePromotion(first.id))).toMatch(/^promotion\.not-found: /);
    expect(await operatorError(createPromotion('', 'sale', `${url}3`))).toMatch(/name/);
  });

  it('categories contain every item of GET /items once, in display order', async () => {
    const response = await api('GET', '/categories', { token });
    expect([response.status, CategoryListResponse.safeParse(response.body).error]).toEqual([200, undefined]);
    const { categories } = response.body;
    const { items } = (await api('GET', '/items', { token })).body;
    expect(new Set(categories.map((it: any) => it.name)).size).toBe(categories.length);
    const shown = categories.flatMap((category: any) => category.items.map((it: any) => [category.name, it.name]));
    expect([...shown].sort()).toEqual(items.map((it: any) => [it.category.name, it.name]).sort());
    for (const category of categories) {
      const orders = category.items.map((it: any) => it.displayOrder);
      expect(orders).toEqual([...orders].sort((a, b) => a - b));
      for (const item of category.items) expect(item).not.toHaveProperty('variants');
      for (const url of Object.values<string>(category.imageUrls)) expect((await call('GET', url)).status).toBe(200);
    }
  });
});
