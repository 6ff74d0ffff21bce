import {
  FavoriteCreateResponse,
  FavoriteDeleteResponse,
  ProductFavoriteListResponse,
  UserFavoriteListResponse,
} from '#contracts';
import { clear, violate } from '../support/back-office.js';
import { api, eventually, itemsByName, newMaterial, newUsers, type User } from '../support/shop.js';

describe('a favorite', () => {
  let creator: User;
  let fan: User;
  let other: User;
  let badge: number;

  beforeAll(async () => {
    [creator, fan, other] = (await newUsers(3)) as [User, User, User];
    badge = (await itemsByName(creator.apiKey))['can-badge'].id;
  });

  const newProduct = async (): Promise<{ id: number; materialId: number }> => {
    const { material, products } = await newMaterial(creator, { products: [{ itemId: badge, published: true }] });
    return { id: products[0].id, materialId: material.id };
  };
  const placeFavorite = (productId: number, user: User, body: unknown = {}) =>
    api('POST', `/products/${productId}/favorites`, { token: user.apiKey, body });
  const withdraw = (productId: number, user: User) =>
    api('DELETE', `/products/${productId}/favorites`, { token: user.apiKey });
  const ofProduct = async (productId: number, user: User) => {
    const response = await api('GET', `/products/${productId}/favorites?limit=50`, { token: user.apiKey });
    expect([response.status, ProductFavoriteListResponse.safeParse(response.body).error]).toEqual([200, undefined]);
    return response.body.favorites;
  };
  const ofUser = async ({ id }: User, viewer: User) => {
    const response = await api('GET', `/users/${id}/favorites?limit=50`, { token: viewer.apiKey });
    expect([response.status, UserFavoriteListResponse.safeParse(response.body).error]).toEqual([200, undefined]);
    return response.body.favorites;
  };
  const favoriteProductsOf = async (user: User, viewer: User): Promise<number[]> =>
    (await ofUser(user, viewer)).map((it: any) => it.product.id);

  it('has a position on the image, which stays the same while it counts up', async () => {
    const { id } = await newProduct();
    const first = await placeFavorite(id, fan);
    expect(first.status).toBe(201);
    expect(() => FavoriteCreateResponse.parse(first.body)).not.toThrow();
    const { x, y, rotation } = first.body.favorite;
    for (const place of [x, y]) expect(place >= 0 && place <= 1).toBe(true);
    expect(Number.isInteger(rotation) && Math.abs(rotation) <= 30).toBe(true);
    const second = await placeFavorite(id, fan, { count: 100 });
    expect(second.body).toEqual({ favorite: { ...first.body.favorite, count: 101 }, meta: { totalCount: 101 } });
    const others = await placeFavorite(id, other, { count: 5 });
    expect(others.body).toMatchObject({ favorite: { count: 5 }, meta: { totalCount: 106 } });
    expect(others.body.favorite.id).not.toBe(first.body.favorite.id);
  });

  it('is listed with user and product, newest first', async () => {
    const { id } = await newProduct();
    const mine = (await placeFavorite(id, fan, { count: 3 })).body.favorite;
    const theirs = (await placeFavorite(id, other)).body.favorite;
    expect(await ofProduct(id, creator)).toEqual([
      { id: theirs.id, count: 1, productId: id, user: expect.objectContaining({ id: other.id, name: other.name }) },
      { id: mine.id, count: 3, productId: id, user: expect.objectContaining({ id: fan.id, name: fan.name }) },
    ]);
    const [newest] = await ofUser(fan, other);
    expect(newest).toMatchObject({ id: mine.id, count: 3, product: { id, item: { id: badge } } });
  });

  it('of an own product counts like any other', async () => {
    const { id } = await newProduct();
    expect((await placeFavorite(id, creator)).body).toMatchObject({ favorite: { count: 1 }, meta: { totalCount: 1 } });
  });

  it('is deleted with its whole count, and returned as it was', async () => {
    const { id } = await newProduct();
    const { favorite } = (await placeFavorite(id, fan, { count: 7 })).body;
    await placeFavorite(id, other, { count: 2 });
    const response = await withdraw(id, fan);
    expect(() => FavoriteDeleteResponse.parse(response.body)).not.toThrow();
    expect([response.status, response.body]).toEqual([200, { id: favorite.id, count: 7, productId: id }]);
    expect((await ofProduct(id, creator)).map((it: any) => it.user.id)).toEqual([other.id]);
    expect(await favoriteProductsOf(fan, fan)).not.toContain(id);
    const again = await withdraw(id, fan);
    expect([again.status, again.body.code]).toEqual([404, 'favorite.not-found']);
    // A new favorite starts at 1
    expect((await placeFavorite(id, fan)).body).toMatchObject({ favorite: { count: 1 }, meta: { totalCount: 3 } });
  });

  it.each(['anonymouse', 'anonymous'])('that is %s counts, and is visible to its owner only', async (key) => {
    const { id } = await newProduct();
    await placeFavorite(id, other);
    const response = await placeFavorite(id, fan, { [key]: true, count: 4 });
    expect([response.status, response.body.meta.totalCount]).toEqual([201, 5]);
    expect((await ofProduct(id, creator)).map((it: any) => it.user.id)).toEqual([other.id]);
    expect(await favoriteProductsOf(fan, other)).not.toContain(id);
    expect(await favoriteProductsOf(fan, fan)).toContain(id);
    expect((await withdraw(id, fan)).body.count).toBe(4);
  });

  it('is hidden while its product is hidden', async () => {
    const { id, materialId } = await newProduct();
    await placeFavorite(id, fan);
    const publish = (published: boolean) =>
      api('PUT', `/materials/${materialId}`, {
        token: creator.apiKey,
        body: { products: [{ itemId: badge, published }] },
      });
    const hide: [() => Promise<unknown>, () => Promise<unknown>][] = [
      [() => publish(false), () => publish(true)],
      [() => violate(materialId), () => clear(materialId)],
    ];
    for (const [away, back] of hide) {
      expect(await favoriteProductsOf(fan, other)).toContain(id);
      await away();
      await eventually(
        () => favoriteProductsOf(fan, other),
        (ids) => !ids.includes(id),
      );
      expect((await api('GET', `/products/${id}/favorites`, { token: other.apiKey })).status).toBe(404);
      expect((await placeFavorite(id, other)).status).toBe(404);
      await back();
      await eventually(
        () => favoriteProductsOf(fan, other),
        (ids) => ids.includes(id),
      );
    }
  });

  it('is deleted with the material of its product', async () => {
    const { id, materialId } = await newProduct();
    await placeFavorite(id, fan);
    await api('DELETE', `/materials/${materialId}`, { token: creator.apiKey });
    expect(await favoriteProductsOf(fan, fan)).not.toContain(id);
    expect((await api('GET', `/products/${id}/favorites`, { token: fan.apiKey })).status).toBe(404);
    await eventually(
      () => withdraw(id, fan),
      ({ status }) => status === 404,
    );
  });
});
