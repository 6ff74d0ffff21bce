import { ActivityListResponse } from '#contracts';
import { recordSale } from '../support/back-office.js';
import { api, eventually, itemsByName, newMaterial, newUser, newUsers, type User } from '../support/shop.js';

describe('an activity', () => {
  let fan: User;
  let other: User;
  let badge: number;

  beforeAll(async () => {
    [fan, other] = (await newUsers(2)) as [User, User];
    badge = (await itemsByName(fan.apiKey))['can-badge'].id;
    await api('PUT', '/user', { token: fan.apiKey, body: { displayName: '花子' } });
  });

  const list = async (user: User, query = '', language = 'en') => {
    const headers = { 'accept-language': language };
    const response = await api('GET', `/activities${query}`, { token: user.apiKey, headers });
    expect([response.status, ActivityListResponse.safeParse(response.body).error]).toEqual([200, undefined]);
    expect(JSON.stringify(response.body)).not.toMatch(/@example\.com|"email"/);
    return response.body.activities;
  };
  const unreads = async (user: User): Promise<number> =>
    (await api('GET', '/activities/unreads', { token: user.apiKey })).body.unreads;
  const until = (user: User, count: number) =>
    eventually(
      () => unreads(user),
      (it) => it === count,
    );
  const placeFavorite = (productId: number, user: User, body: object = {}) =>
    api('POST', `/products/${productId}/favorites`, { token: user.apiKey, body });
  /** Creates a user with a product, and reads the activity about its images. */
  async function newCreator(title = 'Lighthouse'): Promise<{ creator: User; product: any }> {
    const creator = await newUser();
    const { products } = await newMaterial(creator, { title, products: [{ itemId: badge, published: true }] });
    await until(creator, 1);
    await list(creator);
    return { creator, product: products[0] };
  }

  it('of a favorite names user and product, in English and Japanese', async () => {
    const { creator, product } = await newCreator('灯台 "Light" & <b>');
    expect((await placeFavorite(product.id, fan)).status).toBe(201);
    await until(creator, 1);
    const [english] = await list(creator);
    expect(english).toMatchObject({
      eventType: 'favorite',
      eventAction: 'provide',
      event: null,
      sender: { id: fan.id, name: fan.name, displayName: '花子' },
      receiver: { id: creator.id, name: creator.name },
    });
    expect(english.message).toContain(product.title);
    expect(english.message).toContain('花子');
    expect([english.message, english.timeago].join(' ')).toMatch(/likes .*ago|likes .*now/s);
    for (const language of ['ja', 'ja-JP,en;q=0.5', 'de, ja;q=0.9, en;q=0.1']) {
      const [japanese] = await list(creator, '', language);
      expect([language, japanese.message]).toEqual([language, expect.stringMatching(/花子.*灯台.*ました/s)]);
      expect([language, japanese.timeago]).toEqual([language, expect.stringMatching(/前|今/)]);
      expect({ ...japanese, message: '', timeago: '' }).toEqual({ ...english, message: '', timeago: '' });
    }
    for (const language of ['en', 'de', '*', 'ja;q=0', '', ';;;,,q=', 'x'.repeat(5_000)])
      expect([language.slice(0, 9), (await list(creator, '', language))[0].message]).toEqual([
        language.slice(0, 9),
        english.message,
      ]);
  });

  it('is created once for repeated favorites of a user on a product within an hour', async () => {
    const { creator, product } = await newCreator();
    for (const count of [1, 5, 100]) await placeFavorite(product.id, fan, { count });
    await placeFavorite(product.id, other);
    await until(creator, 2);
    const activities = await list(creator);
    expect(activities.filter((it: any) => it.eventType === 'favorite').map((it: any) => it.sender.id)).toEqual([
      other.id,
      fan.id,
    ]);
    const second = await newMaterial(creator, { products: [{ itemId: badge, published: true }] });
    await placeFavorite(second.products[0].id, fan);
    await eventually(
      () => list(creator),
      (all) => all.filter((it: any) => it.sender.id === fan.id).length === 2,
    );
  });

  it('is not created for a favorite of an own product', async () => {
    const { creator, product } = await newCreator();
    await placeFavorite(product.id, creator);
    await placeFavorite(product.id, fan);
    await until(creator, 1);
    expect((await list(creator)).map((it: any) => it.eventType)).toEqual(['favorite', 'material']);
  });

  it('of an anonymous favorite has an anonymous sender and no data of the user', async () => {
    const { creator, product } = await newCreator();
    await placeFavorite(product.id, fan, { anonymouse: true });
    await until(creator, 1);
    for (const language of ['en', 'ja']) {
      const [activity] = await list(creator, '?limit=1', language);
      expect(activity.sender).toMatchObject({ id: 0, name: 'anonymous' });
      for (const secret of [fan.name, '花子', `"id":${fan.id},`])
        expect(JSON.stringify(activity).includes(secret)).toBe(false);
    }
  });

  it('of a sale and of rendered images are in the same list, newest first', async () => {
    const { creator, product } = await newCreator('Whale');
    await recordSale(product.id, fan.name);
    await until(creator, 1);
    const [sale, material] = await list(creator, '', 'ja');
    expect(sale).toMatchObject({ eventType: 'sale', eventAction: 'provide', sender: { id: fan.id } });
    expect(material).toMatchObject({ eventType: 'material', eventAction: 'render', receiver: { id: creator.id } });
    for (const { message } of [sale, material]) expect(message).toMatch(/Whale.*[ぁ-ん]/s);
  });

  it('is marked as read by any list, even one without it, and stays in the list', async () => {
    const creator = await newUser();
    const made = await Promise.all(
      ['x', 'y', 'z'].map((title) => newMaterial(creator, { title, products: [{ itemId: badge, published: true }] })),
    );
    await until(creator, 3);
    expect(await list(creator, '?limit=1')).toHaveLength(1);
    // Also the activities that the list did not contain
    expect(await unreads(creator)).toBe(0);
    expect(await list(creator)).toHaveLength(3);
    await placeFavorite(made[0]!.products[0].id, fan);
    await until(creator, 1);
  });

  it('is visible to its receiver only', async () => {
    const { creator, product } = await newCreator();
    await placeFavorite(product.id, fan);
    await until(creator, 1);
    const stranger = await newUser();
    expect([await unreads(stranger), await list(stranger)]).toEqual([0, []]);
    expect(await unreads(creator)).toBe(1);
  });

  it('remains when its favorite or product is deleted', async () => {
    const { creator, product } = await newCreator();
    await placeFavorite(product.id, fan);
    await until(creator, 1);
    await api('DELETE', `/products/${product.id}/favorites`, { token: fan.apiKey });
    await api('DELETE', `/materials/${product.material.id}`, { token: creator.apiKey });
    expect((await list(creator)).map((it: any) => it.eventType)).toEqual(['favorite', 'material']);
  });
});
