import { MaterialWriteResponse, ProductResponse } from '#contracts';
import { artwork } from '../support/artwork.js';
import { api, itemsByName, newUsers, type User } from '../support/shop.js';

describe('the placement of a print', () => {
  let owner: User;
  let items: Record<string, any>;
  let texture: string;

  beforeAll(async () => {
    [owner] = (await newUsers(1)) as [User];
    items = await itemsByName(owner.apiKey);
    texture = await artwork(400, 300);
  });

  const post = (body: unknown) => api('POST', '/materials', { token: owner.apiKey, body });
  const put = (id: number, body: unknown) => api('PUT', `/materials/${id}`, { token: owner.apiKey, body });
  const make = async (more: object) => {
    const products = [{ itemId: items['t-shirt'].id, published: true, ...more }];
    const { status, body } = await post({ title: 'Placed', texture, products });
    expect([status, body.errors]).toEqual([200, undefined]);
    expect(() => MaterialWriteResponse.parse(body)).not.toThrow();
    return body;
  };
  const imageOf = async ({ sampleImageUrl }: { sampleImageUrl: string }): Promise<Buffer> => {
    const response = await fetch(sampleImageUrl);
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };

  it('changes its images, is returned, and can be removed', async () => {
    const { material, products } = await make({});
    const [fitted] = products;
    expect([fitted.placement, fitted.sub_materials]).toEqual([undefined, undefined]);
    const before = await imageOf(fitted);
    const placement = { scale: 0.5, offsetX: 0.1, rotation: 30 };
    const changed = await put(material.id, { products: [{ itemId: items['t-shirt'].id, placement }] });
    const [placed] = changed.body.products;
    expect(placed.placement).toEqual({ scale: 0.5, x: 0.1, y: 0, rotation: 30, repeat: 'none', spacing: 0 });
    expect(placed.sampleImageUrl).not.toBe(fitted.sampleImageUrl);
    const after = await imageOf(placed);
    expect(after.equals(before)).toBe(false);
    const { body } = await api('GET', `/products/${placed.id}`, { token: owner.apiKey });
    expect(() => ProductResponse.parse(body)).not.toThrow();
    expect(body.product.placement).toEqual(placed.placement);
    const removed = await put(material.id, { products: [{ itemId: items['t-shirt'].id, placement: null }] });
    expect(removed.body.products[0].placement).toBeUndefined();
    expect((await imageOf(removed.body.products[0])).equals(before)).toBe(true);
  });

  it('of a further image is returned with its print place', async () => {
    const placement = { scale: 0.3, repeat: 'half-drop', spacing: 5 };
    const { products } = await make({ sub_materials: [{ texture, printSide: 'back', placement }] });
    expect(products[0].placement).toBeUndefined();
    expect(products[0].sub_materials).toEqual([
      { printSide: 'back', enabled: true, placement: { ...placement, x: 0, y: 0, rotation: 0 } },
    ]);
  });

  it.each([
    ['not a number', '{"scale":"NaN"}', ['scale']],
    ['null', '{"x":null}', ['x']],
    ['an overflow', '{"y":1e999}', ['y']],
    ['huge', '{"scale":1e308,"rotation":-1e9,"spacing":1e300}', ['scale', 'rotation', 'spacing']],
    ['zero', '{"scale":0}', ['scale']],
    ['outside of the area', '{"x":50}', ['x']],
    ['millions of repeats', '{"repeat":"grid","scale":0.01,"spacing":0}', ['scale']],
  ])('is rejected if it is %s', async (_, placement, fields) => {
    const products = `[{"itemId":${items['sticker'].id},"placement":${placement}}]`;
    const { status, body } = await post(`{"title":"x","texture":${JSON.stringify(texture)},"products":${products}}`);
    expect([status, body.code]).toEqual([422, 'placement.invalid']);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(
      fields.map((field) => `body.products.0.placement.${field}`),
    );
  });

  it('of another shape is an error of the request', async () => {
    const products = [{ itemId: items['sticker'].id, placement: { repeat: 'spiral' } }];
    const { status, body } = await post({ title: 'x', texture, products });
    expect([status, body.errors]).toEqual([
      400,
      [{ path: 'body.products.0.placement.repeat', message: 'must be none, grid, half-drop or mirror' }],
    ]);
  });
});
