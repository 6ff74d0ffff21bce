import { api, itemsByName, newUser, smallArtwork, type User } from '../support/shop.js';

describe('two replicas of catalog and material-rendering', () => {
  let users: User[];
  let sticker: number;

  beforeAll(async () => {
    users = await Promise.all(Array.from({ length: 4 }, newUser));
    // The item that is cheapest to render
    sticker = (await itemsByName(users[0]!.apiKey))['sticker'].id;
  });

  it('serve 500 mixed requests without errors or duplicates', async () => {
    const texture = await smallArtwork;
    const creators = Object.fromEntries(users.map(({ name }) => [name, [] as number[]]));
    let favorites = 0;
    let productId = 0;
    const statuses: number[] = [];

    const tasks = Array.from({ length: 500 }, (_, index) => async () => {
      const user = users[index % users.length]!;
      const token = user.apiKey;
      if (index % 25 === 0) {
        const body = { texture, title: `Number ${index}`, products: [{ itemId: sticker, published: true }] };
        const response = await api('POST', '/materials', { token, body });
        creators[user.name]!.push(response.body.material?.id);
        productId ||= response.body.products[0].id;
        return response.status;
      }
      if (index % 10 === 1 && productId > 0) {
        favorites += 1;
        return (await api('POST', `/products/${productId}/favorites`, { token, body: {} })).status;
      }
      const paths = ['/products?limit=5', '/items', '/materials', '/activities/unreads', `/products?itemId=${sticker}`];
      return (await api('GET', paths[index % paths.length]!, { token })).status;
    });
    const next = tasks.values();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (const task of next) statuses.push(await task());
      }),
    );

    expect(statuses.filter((status) => status >= 400)).toEqual([]);
    expect(statuses).toHaveLength(500);
    for (const user of users) {
      const { body } = await api('GET', '/materials?limit=50', { token: user.apiKey });
      expect(body.materials.map((it: any) => it.id).sort()).toEqual(creators[user.name]!.sort());
    }
    const last = await api('POST', `/products/${productId}/favorites`, { token: users[0]!.apiKey, body: {} });
    expect(last.body.meta.totalCount).toBe(favorites + 1);
  }, 120_000);
});
