import { ChoiceListResponse, ChoiceResponse, ProductListResponse } from '#contracts';
import { clear, violate } from '../support/back-office.js';
import { api, eventually, itemsByName, newMaterial, newUsers, type User } from '../support/shop.js';

describe('a choice', () => {
  let owner: User;
  let visitor: User;
  let items: Record<string, any>;
  /** Published products of the visitor: badge, sticker, note, shirt. */
  let products: any[];

  beforeAll(async () => {
    [owner, visitor] = (await newUsers(2)) as [User, User];
    items = await itemsByName(owner.apiKey);
    const names = ['can-badge', 'sticker', 'note', 't-shirt'];
    const made = await newMaterial(visitor, {
      products: names.map((name) => ({ itemId: items[name].id, published: true })),
    });
    products = names.map((name) => made.products.find((it: any) => it.item.name === name));
  });

  const request = (method: string, path: string, body?: unknown, user: User = owner) =>
    api(method, `/choices${path}`, { token: user.apiKey, ...(body !== undefined && { body }) });

  async function newChoice(fields: object = {}): Promise<any> {
    const response = await request('POST', '', { title: 'Choice', ...fields });
    expect([response.status, response.body.errors]).toEqual([200, undefined]);
    expect(() => ChoiceResponse.parse(response.body)).not.toThrow();
    return response.body.choice;
  }

  const productsOf = async (choiceId: number, user: User = owner): Promise<any[]> => {
    const response = await request('GET', `/${choiceId}/products?limit=50`, undefined, user);
    expect(response.status).toBe(200);
    expect(() => ProductListResponse.parse(response.body)).not.toThrow();
    return response.body.products;
  };
  const pairsOf = async (choiceId: number, user: User = owner): Promise<[number, number][]> =>
    (await productsOf(choiceId, user)).map((it) => [it.id, it.sampleItemVariant.id]);
  const pair = (product: any, variant: any = product.sampleItemVariant): [number, number] => [product.id, variant.id];

  it('is created with the sent fields and defaults', async () => {
    const { name, id } = owner;
    const fields = { title: '夏の\n"おすすめ"', description: '', bannerUrl: 'https://example.com/b.png', secret: true };
    const whole = await newChoice({ ...fields, choiceProducts: [{ productId: products[0].id }] });
    expect(whole).toMatchObject({ ...fields, productsCount: 1, user: { id, name } });
    const bare = await newChoice();
    expect(bare).toMatchObject({
      title: 'Choice',
      description: null,
      bannerUrl: null,
      secret: false,
      productsCount: 0,
    });
    expect((await request('GET', `/${bare.id}`)).body.choice).toEqual(bare);
  });

  it('contains each pair of product and variant once, with the representative variant by default', async () => {
    const [badge, sticker] = products;
    const [, red] = items['can-badge'].variants;
    const { id, productsCount } = await newChoice({
      choiceProducts: [
        { productId: badge.id },
        { productId: badge.id, itemVariantId: red.id },
        { productId: badge.id, itemVariantId: badge.sampleItemVariant.id },
        { productId: sticker.id },
      ],
    });
    const pairs = await pairsOf(id);
    expect(pairs.sort()).toEqual([pair(badge), pair(badge, red), pair(sticker)].sort());
    // Two products, one of them in two variants
    expect(productsCount).toBe(pairs.length);
  });

  it('shows a product in the chosen variant', async () => {
    const [, red] = items['can-badge'].variants;
    const { id } = await newChoice({ choiceProducts: [{ productId: products[0].id, itemVariantId: red.id }] });
    const [product] = await productsOf(id);
    expect(product.sampleItemVariant.id).toBe(red.id);
    expect(product.sampleImageUrl).toContain(`/${red.size.name}/${red.color.name}/`);
    expect(product.sampleUrl).toContain(`/${red.size.name}/${red.color.name}`);
  });

  it('contains a product once when it is added repeatedly', async () => {
    const { id } = await newChoice();
    const body = { productId: products[0].id };
    expect((await request('POST', `/${id}`, body)).body.choice.productsCount).toBe(1);
    expect((await request('POST', `/${id}`, body)).body.choice.productsCount).toBe(1);
    const named = { ...body, itemVariantId: products[0].sampleItemVariant.id };
    expect((await request('POST', `/${id}`, named)).body.choice.productsCount).toBe(1);
    expect(await pairsOf(id)).toEqual([pair(products[0])]);
  });

  it('is unchanged by add and remove without a product', async () => {
    const choice = await newChoice({ choiceProducts: [{ productId: products[0].id }] });
    for (const path of [`/${choice.id}`, `/${choice.id}/remove`])
      for (const body of [{}, { itemVariantId: products[0].sampleItemVariant.id }, ''])
        expect([path, body, (await request('POST', path, body)).body.choice]).toEqual([path, body, choice]);
  });

  it('removes a named variant, or all variants of a product', async () => {
    const [badge, sticker] = products;
    const [white, black, pink] = items['can-badge'].variants;
    const choiceProducts = [white, black, pink].map(({ id }) => ({ productId: badge.id, itemVariantId: id }));
    const { id } = await newChoice({ choiceProducts: [...choiceProducts, { productId: sticker.id }] });
    await request('POST', `/${id}/remove`, { productId: badge.id, itemVariantId: black.id });
    expect((await pairsOf(id)).sort()).toEqual([pair(badge, white), pair(badge, pink), pair(sticker)].sort());
    const response = await request('POST', `/${id}/remove`, { productId: badge.id });
    expect([response.status, response.body.choice.productsCount]).toEqual([200, 1]);
    expect(await pairsOf(id)).toEqual([pair(sticker)]);
    expect((await request('POST', `/${id}/remove`, { productId: badge.id })).status).toBe(200);
  });

  it('is changed by PUT in the sent fields only', async () => {
    const choice = await newChoice({
      title: 'Before',
      description: 'Text',
      bannerUrl: 'https://example.com/b.png',
      choiceProducts: [{ productId: products[0].id }],
    });
    for (const [body, expected] of [
      [{}, {}],
      [{ title: 'After' }, { title: 'After' }],
      [{ description: null }, { description: null }],
      [{ bannerUrl: null }, { bannerUrl: null }],
      [{ secret: true }, { secret: true }],
      [{ description: 'Again', nonsense: 1 }, { description: 'Again' }],
    ]) {
      const { body: before } = await request('GET', `/${choice.id}`);
      const response = await request('PUT', `/${choice.id}/`, body);
      expect([body, response.status, response.body.choice]).toEqual([body, 200, { ...before.choice, ...expected }]);
      expect((await request('GET', `/${choice.id}`)).body).toEqual(response.body);
    }
    expect((await request('PUT', `/${choice.id}`, '')).status).toBe(200);
  });

  it('gets other products by PUT, the same if the field is not sent, and none for []', async () => {
    const [badge, sticker, note] = products;
    const { id } = await newChoice({ choiceProducts: [{ productId: badge.id }, { productId: sticker.id }] });
    await request('PUT', `/${id}`, { choiceProducts: [{ productId: note.id }, { productId: sticker.id }] });
    expect((await pairsOf(id)).sort()).toEqual([pair(note), pair(sticker)].sort());
    await request('PUT', `/${id}`, { title: 'x' });
    expect(await pairsOf(id)).toHaveLength(2);
    const emptied = await request('PUT', `/${id}`, { choiceProducts: [] });
    expect(emptied.body.choice.productsCount).toBe(0);
    expect(await pairsOf(id)).toEqual([]);
  });

  it('is unchanged when one of several products is rejected', async () => {
    const { id } = await newChoice({ choiceProducts: [{ productId: products[0].id }] });
    const body = { title: 'y', choiceProducts: [{ productId: products[1].id }, { productId: 999_999_999 }] };
    const response = await request('PUT', `/${id}`, body);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.body.errors.map((it: any) => it.path)).toEqual(['body.choiceProducts.1.productId']);
    expect((await request('GET', `/${id}`)).body.choice.title).toBe('Choice');
    expect(await pairsOf(id)).toEqual([pair(products[0])]);
  });

  it('contains all variants of products, listed in pages', async () => {
    const badges = items['can-badge'].variants;
    const shirts = items['t-shirt'].variants.filter((it: any) => it.enabled);
    const choiceProducts = [
      ...badges.map((it: any) => ({ productId: products[0].id, itemVariantId: it.id })),
      ...shirts.map((it: any) => ({ productId: products[3].id, itemVariantId: it.id })),
    ];
    const { id } = await newChoice({ choiceProducts });
    expect((await request('GET', `/${id}`)).body.choice.productsCount).toBe(choiceProducts.length);
    const { body } = await request('GET', `/${id}/products?limit=50`);
    expect([body.products.length, body.meta.hasNext]).toEqual([50, true]);
  });

  describe('that is secret', () => {
    it('is visible to its owner only, and to all users once it is no longer secret', async () => {
      const { id } = await newChoice({ secret: true });
      const listed = async (user: User) => {
        const { body } = await request('GET', `?userId=${owner.id}&limit=50`, undefined, user);
        expect(() => ChoiceListResponse.parse(body)).not.toThrow();
        return body.choices.some((it: any) => it.id === id);
      };
      const statuses = (user: User) =>
        Promise.all(
          ['', '/products'].map(async (path) => (await request('GET', `/${id}${path}`, undefined, user)).status),
        );
      expect([await statuses(owner), await listed(owner)]).toEqual([[200, 200], true]);
      expect([await statuses(visitor), await listed(visitor)]).toEqual([[404, 404], false]);
      await request('PUT', `/${id}`, { secret: false });
      expect([await statuses(visitor), await listed(visitor)]).toEqual([[200, 200], true]);
      await request('PUT', `/${id}`, { secret: true });
      expect([await statuses(visitor), await listed(visitor)]).toEqual([[404, 404], false]);
    });
  });

  it('is not found after its deletion', async () => {
    const { id } = await newChoice({ choiceProducts: [{ productId: products[0].id }] });
    const response = await request('DELETE', `/${id}`);
    expect([response.status, response.body]).toEqual([204, '']);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/products'],
      ['PUT', ''],
      ['POST', ''],
      ['POST', '/remove'],
      ['DELETE', ''],
    ] as const)
      expect([method, path, (await request(method, `/${id}${path}`)).status]).toEqual([method, path, 404]);
  });

  describe('with hidden products', () => {
    const counts = async (choiceId: number, user: User) => {
      const { body } = await request('GET', `/${choiceId}`, undefined, user);
      return [body.choice.productsCount, (await productsOf(choiceId, user)).length];
    };

    it('hides unpublished products from all but the creator, until they are published again', async () => {
      const made = await newMaterial(visitor, { products: [{ itemId: items['can-badge'].id, published: true }] });
      const [product] = made.products;
      const choiceProducts = [{ productId: product.id }, { productId: products[0].id }];
      const { id } = await newChoice({ choiceProducts });
      const publish = (published: boolean) =>
        api('PUT', `/materials/${made.material.id}`, {
          token: visitor.apiKey,
          body: { products: [{ itemId: product.item.id, published }] },
        });
      expect((await publish(false)).status).toBe(200);
      const equals =
        (expected: number[]) =>
        ([count, shown]: number[]) =>
          count === expected[0] && shown === expected[1];
      await eventually(() => counts(id, owner), equals([1, 1]));
      await eventually(() => counts(id, visitor), equals([2, 2]));
      expect((await publish(true)).status).toBe(200);
      await eventually(() => counts(id, owner), equals([2, 2]));
    });

    it('hides violating products until an operator clears them', async () => {
      const made = await newMaterial(visitor, { products: [{ itemId: items['can-badge'].id, published: true }] });
      const { id } = await newChoice({ choiceProducts: [{ productId: made.products[0].id }] });
      expect(await counts(id, owner)).toEqual([1, 1]);
      await violate(made.material.id);
      await eventually(
        () => counts(id, owner),
        ([count, shown]) => count === 0 && shown === 0,
      );
      await clear(made.material.id);
      await eventually(
        () => counts(id, owner),
        ([count, shown]) => count === 1 && shown === 1,
      );
    });

    it('no longer contains deleted products', async () => {
      const made = await newMaterial(visitor, { products: [{ itemId: items['can-badge'].id, published: true }] });
      const { id } = await newChoice({ choiceProducts: [{ productId: made.products[0].id }] });
      await api('DELETE', `/materials/${made.material.id}`, { token: visitor.apiKey });
      expect(await productsOf(id)).toEqual([]);
      await eventually(
        () => counts(id, owner),
        ([count]) => count === 0,
      );
    });
  });

  it('contains all of 30 products that are added concurrently', async () => {
    const { id } = await newChoice();
    const variants = items['t-shirt'].variants.slice(0, 30);
    const responses = await Promise.all(
      variants.map(({ id: itemVariantId }: any) =>
        request('POST', `/${id}`, { productId: products[3].id, itemVariantId }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(variants.map(() => 200));
    expect((await request('GET', `/${id}`)).body.choice.productsCount).toBe(30);
    expect((await pairsOf(id)).map(([, variant]) => variant).sort()).toEqual(variants.map((it: any) => it.id).sort());
  });
});
