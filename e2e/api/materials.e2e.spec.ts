import sharp from 'sharp';
import {
  MaterialListResponse,
  MaterialResponse,
  type PrintWarning,
  ProductResponse,
  MaterialWriteResponse,
} from '#contracts';
import { artwork } from '../support/artwork.js';
import { clear, violate } from '../support/back-office.js';
import { api, eventually, itemsByName, newMaterial, newUsers, smallArtwork, type User } from '../support/shop.js';

describe('a material', () => {
  let owner: User;
  let visitor: User;
  let items: Record<string, any>;

  beforeAll(async () => {
    [owner, visitor] = (await newUsers(2)) as [User, User];
    items = await itemsByName(owner.apiKey);
  });

  const put = (id: number, body: unknown, user: User = owner) =>
    api('PUT', `/materials/${id}`, { token: user.apiKey, body });
  const get = async (id: number, user: User = owner) => api('GET', `/materials/${id}`, { token: user.apiKey });
  const on = (products: any[], name: string) => products.find((it) => it.item.name === name);
  const statusOfProduct = async (id: number, user: User = visitor) =>
    (await api('GET', `/products/${id}`, { token: user.apiKey })).status;

  async function changed(id: number, body: unknown): Promise<any> {
    const response = await put(id, body);
    expect([response.status, response.body.errors]).toEqual([200, undefined]);
    expect(() => MaterialWriteResponse.parse(response.body)).not.toThrow();
    const { material, products } = response.body;
    expect((await get(id)).body).toEqual({ material, products });
    return { material, products };
  }

  /** Returns a response without `updatedAt` of its products. */
  const withoutUpdatedAt = ({ material, products }: { material: object; products: readonly object[] }) => ({
    material,
    products: products.map((product) => ({ ...product, updatedAt: null })),
  });

  it('is returned with the products that the caller may see', async () => {
    const made = await newMaterial(owner, {
      products: [{ itemId: items['can-badge'].id, published: true }, { itemId: items['sticker'].id }],
    });
    const own = await get(made.material.id);
    expect(() => MaterialResponse.parse(own.body)).not.toThrow();
    expect(own.body).toEqual(made);
    const seen = await get(made.material.id, visitor);
    expect(seen.body).toEqual({ ...made, products: [on(made.products, 'can-badge')] });
  });

  it('is returned with a warning that only the first frame of an animation is printed', async () => {
    const frame = (background: string) => ({ create: { width: 30, height: 40, channels: 3, background } }) as const;
    const frames = await Promise.all(['#d02020', '#2040d0'].map((color) => sharp(frame(color)).png().toBuffer()));
    const gif = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    const texture = `data:image/gif;base64,${gif.toString('base64')}`;
    const { id: itemId } = items['t-shirt'];
    const warning = { itemId, printPlace: 'front', code: 'first-frame' };
    const created = await newMaterial(owner, { texture, products: [{ itemId }] });
    expect((await put(created.material.id, { title: 'Still' })).body.warnings).toMatchObject([warning]);
    const body = { texture, items: [itemId] };
    expect((await api('POST', '/previews', { token: owner.apiKey, body })).body.warnings).toMatchObject([warning]);
  });

  it('is returned with print warnings in the requested language', async () => {
    const { pixels, millimetres } = items['t-shirt'].printAreas.front;
    const texture = await artwork(pixels.width / 4, pixels.height / 4);
    const { id: itemId } = items['t-shirt'];
    const idempotencyKey = { 'idempotency-key': `warned ${owner.id}` };
    const make = (language: string) =>
      api('POST', '/materials', {
        token: owner.apiKey,
        body: { title: 'Small', texture, products: [{ itemId }] },
        headers: { ...idempotencyKey, 'accept-language': language },
      });
    const { status, headers, body } = await make('en');
    expect([status, headers.get('vary')]).toEqual([200, expect.stringMatching(/accept-language/i)]);
    expect(() => MaterialWriteResponse.parse(body)).not.toThrow();
    const of = { itemId, printPlace: 'front' };
    expect(body.warnings).toMatchObject([{ ...of, code: 'low-resolution' }]);
    const dpi = Math.floor((25.4 * pixels.width) / 4 / millimetres.width);
    expect(body.warnings[0].message).toMatch(new RegExp(`^${dpi} dpi on the front \\(300 x 400 mm\\); `));
    expect((await make('ja')).body).toEqual(body);
    const change = { token: owner.apiKey, body: {}, headers: { 'accept-language': 'ja' } };
    const changed = await api('PUT', `/materials/${body.material.id}`, change);
    expect(changed.body.warnings.map(({ code }: PrintWarning) => code)).toEqual(['low-resolution']);
    expect(changed.body.warnings[0].message).toMatch(new RegExp(`^前面（300 x 400 mm）の解像度は${dpi} dpi`));
    expect((await get(body.material.id)).body.warnings).toBeUndefined();
  });

  describe('that is changed', () => {
    it('is unchanged in fields that are not sent', async () => {
      const made = await newMaterial(owner, {
        title: 'Before',
        description: 'Text',
        price: 300,
        products: [
          {
            itemId: items['t-shirt'].id,
            exemplaryItemVariantId: items['t-shirt'].variants[5].id,
            published: true,
            sub_materials: [{ texture: await smallArtwork, printSide: 'back' }],
          },
          { itemId: items['note'].id, resizeMode: 'cover' },
        ],
      });
      const { id } = made.material;
      expect(withoutUpdatedAt(await changed(id, {}))).toEqual(withoutUpdatedAt(made));
      expect(withoutUpdatedAt(await changed(id, { products: [] }))).toEqual(withoutUpdatedAt(made));
      expect(withoutUpdatedAt(await changed(id, { products: [{ itemId: items['t-shirt'].id }] }))).toEqual(
        withoutUpdatedAt(made),
      );
      expect(withoutUpdatedAt(await changed(id, ''))).toEqual(withoutUpdatedAt(made));
    });

    it('gets new title, description and price, and so do its products', async () => {
      const made = await newMaterial(owner, { price: 300, products: [{ itemId: items['mug'].id, published: true }] });
      const { id, uploadedAt } = made.material;
      const fields = { title: '新しい題', description: 'Text', price: 1_000 };
      const { material, products } = await changed(id, fields);
      expect(material).toMatchObject({ ...fields, priceWithTax: 1_100, uploadedAt });
      const [before, after] = [made.products[0], products[0]];
      expect(after).toMatchObject({
        id: before.id,
        title: `新しい題 ${items['mug'].humanizeName}`,
        price: before.price + 700,
        priceWithTax: Math.floor(((before.price + 700) * 110) / 100),
        createdAt: before.createdAt,
        imageUrl: before.imageUrl,
      });
      expect((await changed(id, { description: null })).material.description).toBeNull();
      expect((await changed(id, { price: 0 })).material).toMatchObject({ title: '新しい題', price: 0 });
    });

    it('updates or creates the product of an item, and returns all products', async () => {
      const made = await newMaterial(owner, { products: [{ itemId: items['can-badge'].id, published: true }] });
      const [badge] = made.products;
      const pink = items['can-badge'].variants[2];
      const products = [
        { itemId: items['can-badge'].id, exemplaryItemVariantId: pink.id },
        { itemId: items['sticker'].id, published: true },
      ];
      const response = await changed(made.material.id, { products });
      expect(response.products).toHaveLength(2);
      expect(on(response.products, 'can-badge')).toMatchObject({
        id: badge.id,
        published: true,
        createdAt: badge.createdAt,
        publishedAt: badge.publishedAt,
        sampleItemVariant: { id: pink.id },
      });
      expect(on(response.products, 'sticker')).toMatchObject({ published: true });
      const again = await changed(made.material.id, { products });
      expect(again.products.map((it: any) => it.id).sort()).toEqual(response.products.map((it: any) => it.id).sort());
    });

    it('publishes and unpublishes its products; publishedAt is the first publication', async () => {
      const made = await newMaterial(owner, { products: [{ itemId: items['can-badge'].id }] });
      const { id } = made.material;
      const productId: number = made.products[0].id;
      expect(made).toMatchObject({
        material: { published: false, publishedAt: null },
        products: [{ published: false, publishedAt: null }],
      });
      expect([(await get(id, visitor)).status, await statusOfProduct(productId)]).toEqual([404, 404]);
      const publish = (published: boolean) => changed(id, { products: [{ itemId: items['can-badge'].id, published }] });
      const first = await publish(true);
      expect(first).toMatchObject({ material: { published: true }, products: [{ published: true }] });
      expect(first.material.publishedAt).not.toBeNull();
      expect([(await get(id, visitor)).status, await statusOfProduct(productId)]).toEqual([200, 200]);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      const hidden = await publish(false);
      expect(hidden.material).toMatchObject({ published: false, publishedAt: first.material.publishedAt });
      expect([(await get(id, visitor)).status, await statusOfProduct(productId)]).toEqual([404, 404]);
      const again = await publish(true);
      expect(again.material.publishedAt).toBe(first.material.publishedAt);
      expect(again.products[0].publishedAt).toBe(first.products[0].publishedAt);
    });

    it('is unchanged by a rejected update', async () => {
      const made = await newMaterial(owner, { products: [{ itemId: items['can-badge'].id }] });
      const { id } = made.material;
      const products = [{ itemId: items['can-badge'].id, published: true }, { itemId: 999_999_999 }];
      const rejected = await put(id, { title: 'x', products });
      expect([rejected.status, rejected.body.errors[0].path]).toEqual([422, 'body.products.1.itemId']);
      expect((await put(id, { title: 'x' }, visitor)).status).toBe(404);
      expect((await get(id)).body).toEqual(made);
    });

    it('gets one product per item for 10 concurrent updates', async () => {
      const { material } = await newMaterial(owner);
      const products = [{ itemId: items['can-badge'].id, published: true }];
      const responses = await Promise.all(Array.from({ length: 10 }, () => put(material.id, { products })));
      expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
      expect(new Set(responses.map(({ body }) => body.products[0].id)).size).toBe(1);
      expect((await get(material.id)).body.products).toHaveLength(1);
    });
  });

  describe('of a text', () => {
    const write = async (fields: object) => {
      const response = await api('POST', '/materials/text', { token: owner.apiKey, body: fields });
      if (response.status === 200) expect(() => MaterialWriteResponse.parse(response.body)).not.toThrow();
      return response;
    };

    it('is a white T-shirt in M by default, titled with the first line', async () => {
      const { status, body } = await write({ text: '一行目 First\nsecond' });
      expect(status).toBe(200);
      expect(body.material).toMatchObject({ title: '一行目 First', description: null, price: 0, violation: false });
      expect(body.products).toHaveLength(1);
      expect(body.products[0]).toMatchObject({
        item: { name: 't-shirt' },
        sampleItemVariant: { color: { name: 'white' }, size: { name: 'm' } },
      });
      expect(body.material.originalWidth * body.material.originalHeight).toBeGreaterThan(0);
      const { material, products } = body;
      expect((await get(material.id)).body).toEqual({ material, products });
    });

    it('accepts a variant, a title, a price and a description', async () => {
      const black = items['t-shirt'].variants.find((it: any) => it.color.name === 'black');
      const fields = { title: 'Own', description: 'Text', price: 500 };
      const { status, body } = await write({ text: 'Dark', itemVariantId: black.id, ...fields });
      expect([status, body.material]).toEqual([200, expect.objectContaining(fields)]);
      expect(body.products[0].sampleItemVariant.id).toBe(black.id);
      // The letters are light on dark cloth
      const [light, dark] = [body.material.dominantRgb, (await write({ text: 'Dark' })).body.material.dominantRgb].map(
        (rgb: string) => parseInt(rgb.slice(1, 3), 16),
      );
      expect(light!).toBeGreaterThan(dark!);
    });

    it.each(['x', '漢'.repeat(255), '😀 mixed 日本語 text', 'a\n\nb', '"quotes" & <tags>'])(
      'prints %j',
      async (text) => {
        expect((await write({ text })).status).toBe(200);
      },
    );

    it.each([' ', '\n\n', '\u3000'])('is rejected without printable characters: %j', async (text) => {
      const { status, body } = await write({ text });
      expect([status, body.code]).toEqual([422, 'text.blank']);
    });
  });

  describe('that violates the rules', () => {
    it('is hidden with its products from all but its owner until it is cleared', async () => {
      const title = `Wrongful${owner.id}`;
      const made = await newMaterial(owner, { title, products: [{ itemId: items['can-badge'].id, published: true }] });
      const { id } = made.material;
      const productId: number = made.products[0].id;
      const seen = async ({ apiKey: token }: User) => {
        const lists = await Promise.all(
          [`/products?materialId=${id}`, `/products/search?q=${title}`, `/materials?userId=${owner.id}&limit=50`].map(
            (path) => api('GET', path, { token }),
          ),
        );
        const single = await Promise.all(
          [`/materials/${id}`, `/products/${productId}`].map((path) => api('GET', path, { token })),
        );
        return [
          lists[0]!.body.products.length,
          lists[1]!.body.products.length,
          lists[2]!.body.materials.filter((it: any) => it.id === id).length,
          ...single.map(({ status }) => status),
        ];
      };
      const image = async () => (await fetch(made.products[0].sampleImageUrl)).status;
      expect([await seen(visitor), await image()]).toEqual([[1, 1, 1, 200, 200], 200]);
      expect(await violate(id)).toMatchObject({ id, violation: true });
      expect(await seen(visitor)).toEqual([0, 0, 0, 404, 404]);
      expect(await seen(owner)).toEqual([1, 1, 1, 200, 200]);
      expect((await get(id)).body.material.violation).toBe(true);
      await eventually(image, (status) => status === 404);
      // An update by the owner does not clear it
      const { material } = await changed(id, {
        title: `${title} again`,
        products: [{ itemId: items['can-badge'].id, published: true }],
      });
      expect(material.violation).toBe(true);
      expect((await get(id, visitor)).status).toBe(404);
      expect(await clear(id)).toMatchObject({ id, violation: false });
      expect(await seen(visitor)).toEqual([1, 1, 1, 200, 200]);
      await eventually(image, (status) => status === 200);
    });
  });

  it('has separate image URLs for unpublished products, which stay valid after publication', async () => {
    const products = (badge: boolean) => [
      { itemId: items['can-badge'].id, published: badge },
      { itemId: items['mug'].id, published: true },
    ];
    const statusOf = async (url: string) => (await fetch(url)).status;
    const hashOf = (url: string) => new URL(url).searchParams.get('h')!;
    const made = await newMaterial(owner, { products: products(false) });
    const { id } = made.material;
    const draft: string = on(made.products, 'can-badge').sampleImageUrl;
    const publicHash = hashOf(on(made.products, 'mug').sampleImageUrl);
    const guessed = draft.replace(hashOf(draft), publicHash);
    expect([await statusOf(draft), await statusOf(guessed)]).toEqual([200, 404]);
    expect((await fetch(guessed)).headers.get('cache-control')).toBe('no-store');
    const published = on((await changed(id, { products: products(true) })).products, 'can-badge').sampleImageUrl;
    expect(published).toBe(guessed);
    expect([await statusOf(published), await statusOf(draft)]).toEqual([200, 200]);
    const again = on((await changed(id, { products: products(false) })).products, 'can-badge').sampleImageUrl;
    expect(again).toBe(draft);
    await eventually(
      () => statusOf(published),
      (status) => status === 404,
    );
    expect(await statusOf(draft)).toBe(200);
  });

  it('that is deleted has no products in choices and favorites from its response on', async () => {
    const made = await newMaterial(owner, { products: [{ itemId: items['can-badge'].id, published: true }] });
    const remaining = await newMaterial(owner, { products: [{ itemId: items['can-badge'].id, published: true }] });
    const [deleted, other]: [number, number] = [made.products[0].id, remaining.products[0].id];
    const { apiKey: token } = visitor;
    const choiceProducts = [deleted, other].map((productId) => ({ productId }));
    const choice = (await api('POST', '/choices', { token, body: { title: 'x', choiceProducts } })).body.choice;
    for (const id of [deleted, other]) await api('POST', `/products/${id}/favorites`, { token, body: {} });
    const response = await api('DELETE', `/materials/${made.material.id}`, { token: owner.apiKey });
    expect([response.status, response.body]).toEqual([204, '']);
    const inChoice = await api('GET', `/choices/${choice.id}/products`, { token });
    expect(inChoice.body.products.map((it: any) => it.id)).toEqual([other]);
    const list = await api('GET', `/users/${visitor.id}/favorites`, { token });
    const ids = list.body.favorites.map((it: any) => it.product.id);
    expect([ids.includes(deleted), ids.includes(other)]).toEqual([false, true]);
    expect([await statusOfProduct(deleted), await statusOfProduct(deleted, owner)]).toEqual([404, 404]);
    await eventually(
      () => api('GET', `/choices/${choice.id}`, { token }),
      ({ body }) => body.choice.productsCount === 1,
    );
  });

  it('is in the list of its owner, published or not, valid against the contract', async () => {
    const { material } = await newMaterial(owner);
    const { body } = await api('GET', '/materials?limit=50', { token: owner.apiKey });
    expect(() => MaterialListResponse.parse(body)).not.toThrow();
    expect(body.materials[0]).toEqual(material);
  });

  it('has a product that is returned with all variants of its item', async () => {
    const made = await newMaterial(owner, { products: [{ itemId: items['mug'].id, published: true }] });
    const { body } = await api('GET', `/products/${made.products[0].id}`, { token: visitor.apiKey });
    expect(() => ProductResponse.parse(body)).not.toThrow();
    const { itemVariants, ...rest } = body.product;
    expect(itemVariants).toEqual(items['mug'].variants);
    expect(rest).toEqual(made.products[0]);
  });
});
