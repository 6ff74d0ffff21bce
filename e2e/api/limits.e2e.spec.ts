import { artwork } from '../support/artwork.js';
import { api, newUser } from '../support/shop.js';

describe('a material with the longest texts and all items', () => {
  it('is created, listed and deleted', async () => {
    const { apiKey: token, id } = await newUser();
    const { items } = (await api('GET', '/items', { token })).body;
    const products = items
      .filter((item: any) => !item.isEmbroidery)
      .map((item: any) => ({ itemId: item.id, published: true }));
    // A control character takes six bytes in JSON, more than any other character
    const description = '\u0001'.repeat(10_000);
    const body = { texture: await artwork(60, 60), title: '漢'.repeat(255), description, products };
    const made = await api('POST', '/materials', { token, body });
    expect([made.status, made.body.products?.length]).toEqual([200, products.length]);
    const list = await api('GET', `/products?userId=${id}&limit=50`, { token });
    expect([list.status, list.body.products?.length]).toEqual([200, products.length]);
    expect(list.body.products[0].material.description).toBe(description);
    expect((await api('DELETE', `/materials/${made.body.material.id}`, { token })).status).toBe(204);
  });

  it('is rejected with one more character', async () => {
    const { apiKey: token } = await newUser();
    const body = { texture: 'data:,x', title: '漢'.repeat(256), description: 'x'.repeat(10_001) };
    const response = await api('POST', '/materials', { token, body });
    expect(response.status).toBe(400);
    expect(response.body.errors.map(({ path }: any) => path).sort()).toEqual(['body.description', 'body.title']);
  });
});
