import { jest } from '@jest/globals';
import { MaterialResponse, ProductResponse, problems } from '#contracts';
import { searchColumns } from '#kernel';
import {
  bodyOf,
  catalogStack,
  type CatalogStack,
  createMaterial,
  mug,
  outbox,
  phoneCase,
  shirt,
  type WantedMaterial,
  wantedProduct,
} from '../testing/catalog-stack.js';

let stack: CatalogStack;
type Wanted = Parameters<CatalogStack['materials']['update']>[0];

const create = (products: WantedMaterial['products'] = [], viewerId = stack.hanako) =>
  createMaterial(stack, viewerId, { products });
const update = async (
  materialId: number,
  wanted: Omit<Wanted, 'viewerId' | 'materialId' | 'language'>,
  viewerId = stack.hanako,
) =>
  MaterialResponse.parse(
    JSON.parse(String(await stack.materials.update({ viewerId, materialId, language: 'en', ...wanted }))),
  );
const lastEvent = async () => (await outbox(stack.database)).at(-1);
const countEvents = async () => (await outbox(stack.database)).length;

/** Returns all rows of a material, to compare. */
const storedRows = async (id: number) => {
  const rows = (sql: string) => stack.database.query<Record<string, unknown>>(sql, [id]);
  return [
    await rows('select * from materials where id = $1'),
    await rows('select * from products where material_id = $1 order by id'),
  ] as const;
};
const updateTimesOf = async (id: number) => {
  const rows = await stack.database.query<{ item: number; at: Date }>(
    'select item_id as item, updated_at as at from products where material_id = $1',
    [id],
  );
  return new Map(rows.map(({ item, at }) => [item, at.getTime()]));
};

beforeAll(async () => {
  stack = await catalogStack();
});
afterAll(() => stack.close());

describe('MaterialService.update', () => {
  it('changes only the fields of the request, and returns all products', async () => {
    const { material, products } = await create([wantedProduct(shirt), wantedProduct(mug, { published: false })]);
    const changed = await update(material.id, { title: 'Tower', description: 'At the sea' });
    expect(changed.material).toEqual({ ...material, title: 'Tower', description: 'At the sea' });
    expect(changed.products.map(({ id, published }) => [id, published])).toEqual(
      products.map(({ id, published }) => [id, published]),
    );
    expect(changed.products[0]!.title).toBe(`Tower ${products[0]!.item.humanizeName}`);
    const parts = ['title', 'description'];
    expect(await lastEvent()).toEqual({
      name: 'material.updated',
      payload: {
        materialId: material.id,
        userId: stack.hanako,
        stale: [],
        unpublished: [],
        changed: parts,
        revision: 2,
      },
    });
    const cheaper = await update(material.id, { price: 0, description: null });
    expect(cheaper.material).toMatchObject({ price: 0, description: null, title: 'Tower' });
    expect(cheaper.products[0]!.price).toBe(changed.products[0]!.price - 300);
  });

  it('changes existing products, creates missing ones, and lists stale images in the event', async () => {
    const { material, products } = await create([wantedProduct(shirt), wantedProduct(phoneCase)]);
    const changed = await update(material.id, {
      products: [
        { itemId: mug, published: true },
        { itemId: phoneCase, resizeMode: 'contain' },
        { itemId: shirt, published: false, exemplaryItemVariantId: 1006 },
      ],
    });
    const summary = changed.products.map((it) => [it.id, it.item.id, it.published, it.resizeMode]);
    expect(summary).toEqual([
      [products[0]!.id, shirt, false, null],
      [products[1]!.id, phoneCase, true, 'contain'],
      [expect.any(Number), mug, true, null],
    ]);
    expect(changed.products[0]!.sampleItemVariant.id).toBe(1006);
    expect(await lastEvent()).toMatchObject({ payload: { stale: ['smartphone-case', 'mug'] } });
  });

  it('changes the image URL of a product each time its images change, and of no other product', async () => {
    const { material, products } = await create([wantedProduct(shirt), wantedProduct(phoneCase)]);
    const [first, second] = products.map(({ imageUrl }) => imageUrl);
    const imageUrls = async (wanted: Parameters<typeof update>[1]) =>
      (await update(material.id, wanted)).products.map(({ imageUrl }) => imageUrl);
    const setMode = (resizeMode: 'contain' | 'cover') => imageUrls({ products: [{ itemId: phoneCase, resizeMode }] });
    expect(await setMode('cover')).toEqual([first, second]);
    expect(await setMode('contain')).toEqual([first, `${second}&v=1`]);
    expect(await imageUrls({ title: 'Tower' })).toEqual([first, `${second}&v=1`]);
    expect(await setMode('cover')).toEqual([first, `${second}&v=2`]);
    const read = ProductResponse.parse(bodyOf(await stack.products.get(stack.taro, products[1]!.id)));
    expect(read.product.pngSampleImageUrl).toMatch(/\.png\?h=[0-9a-f]{40}&printed=true&v=2$/);
  });

  it('sets the update time of changed products, and of all products for a new title or price', async () => {
    const { material } = await create([wantedProduct(shirt), wantedProduct(mug)]);
    const before = await updateTimesOf(material.id);
    await update(material.id, { description: 'Old', products: [{ itemId: mug, published: false }] });
    const after = await updateTimesOf(material.id);
    expect(after.get(shirt)).toBe(before.get(shirt));
    expect(after.get(mug)).toBeGreaterThan(before.get(mug)!);
    await update(material.id, { price: 1 });
    expect((await updateTimesOf(material.id)).get(shirt)).toBeGreaterThan(after.get(shirt)!);
  });

  it('never changes the time of the first publication, of products and material', async () => {
    const { material } = await create([wantedProduct(shirt, { published: false })]);
    const publish = async (published: boolean) => {
      await update(material.id, { products: [{ itemId: shirt, published }] });
      const [[ofMaterial], [ofProduct]] = await storedRows(material.id);
      expect([ofMaterial!.published, ofProduct!.published]).toEqual([published, published]);
      return [ofMaterial!.published_at, ofProduct!.published_at];
    };
    const first = await publish(true);
    expect(first).toEqual([expect.any(Date), expect.any(Date)]);
    expect(await publish(false)).toEqual(first);
    expect(await publish(true)).toEqual(first);
  });

  it('writes no row and appends no event for unchanged values', async () => {
    const { material } = await create([wantedProduct(shirt)]);
    const before = [await storedRows(material.id), await countEvents()];
    const same = { title: 'Lighthouse', price: 300, products: [{ itemId: shirt, published: true, resizeMode: null }] };
    for (const wanted of [{}, { products: [] }, same]) await update(material.id, wanted);
    expect([await storedRows(material.id), await countEvents()]).toEqual(before);
  });

  it('updates the search columns of old and new products', async () => {
    const { material } = await create([wantedProduct(shirt)]);
    await update(material.id, { title: 'ＴＯＷＥＲ 猫', products: [{ itemId: mug }] });
    const rows = await stack.database.query(
      'select search_text as "searchText", search_tokens as "searchTokens" from products where material_id = $1',
      [material.id],
    );
    expect(rows).toEqual([searchColumns('ＴＯＷＥＲ 猫'), searchColumns('ＴＯＷＥＲ 猫')]);
    await update(material.id, { products: [{ itemId: phoneCase }] });
    const [, products] = await storedRows(material.id);
    expect(products.map((it) => it.search_text)).toEqual(['tower 猫', 'tower 猫', 'tower 猫']);
  });

  it('changes nothing when one entry is rejected, by a rule or by a constraint', async () => {
    const { material } = await create([wantedProduct(shirt)]);
    const before = [await storedRows(material.id), await countEvents()];
    const invalid = { title: 'Tower', products: [{ itemId: mug }, { itemId: shirt, resizeMode: 'cover' as const }] };
    await expect(update(material.id, invalid)).rejects.toMatchObject({
      kind: problems['resize-mode.not-allowed'],
      errors: [{ path: 'body.products.1.resizeMode', message: 't-shirt does not allow cover' }],
    });
    const snapshot = await stack.catalog.current();
    const item = { ...snapshot.item(mug)!, id: 999_999 };
    jest.spyOn(stack.catalog, 'current').mockResolvedValueOnce({ ...snapshot, item: () => item });
    const withMissingItem = update(material.id, { title: 'Tower', products: [{ itemId: 999_999 }] });
    await expect(withMissingItem).rejects.toMatchObject({ kind: problems['item.not-found'] });
    expect([await storedRows(material.id), await countEvents()]).toEqual(before);
  });

  it('rejects other users: 403 for a visible material, 404 for others', async () => {
    const visible = (await create([wantedProduct(shirt)])).material.id;
    const hidden = (await create()).material.id;
    const before = [await storedRows(visible), await storedRows(hidden), await countEvents()];
    const updateAsTaro = (id: number) => update(id, { title: 'Mine' }, stack.taro);
    await expect(updateAsTaro(visible)).rejects.toMatchObject({ kind: problems['material.not-owned'] });
    await expect(updateAsTaro(hidden)).rejects.toMatchObject({ kind: problems['material.not-found'] });
    await expect(updateAsTaro(999_999_999)).rejects.toMatchObject({ kind: problems['material.not-found'] });
    expect([await storedRows(visible), await storedRows(hidden), await countEvents()]).toEqual(before);
  });

  it('creates the product of an item once for twenty concurrent requests; the others update it', async () => {
    const { material } = await create();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        update(material.id, { title: `Number ${index}`, products: [{ itemId: mug, published: index % 2 === 0 }] }),
      ),
    );
    const ids = replies.map(({ products }) => products.map(({ id }) => id));
    expect(new Set(ids.flat()).size).toBe(1);
    expect(ids.every((it) => it.length === 1)).toBe(true);
    const updates = (await outbox(stack.database)).filter(
      ({ name, payload }) => name === 'material.updated' && payload.materialId === material.id,
    );
    expect(updates.map(({ payload }) => payload.stale)).toEqual([['mug'], ...Array.from({ length: 19 }, () => [])]);
  });

  it('stores no rows when a concurrent request deletes the material', async () => {
    const { material } = await create();
    const results = await Promise.allSettled([
      ...Array.from({ length: 5 }, () => update(material.id, { products: [{ itemId: mug, published: true }] })),
      stack.materials.delete(stack.hanako, material.id),
    ]);
    for (const it of results)
      if (it.status === 'rejected') expect(it.reason).toMatchObject({ kind: problems['material.not-found'] });
    expect(await storedRows(material.id)).toEqual([[], []]);
  });
});

describe('MaterialService.violate and clear', () => {
  const violate = async (id: number, reason: string) => {
    await stack.materials.violate(id, reason);
    return stack.materialQueries.moderated(id);
  };
  const clear = async (id: number, reason: string) => {
    await stack.materials.clear(id, reason);
    return stack.materialQueries.moderated(id);
  };

  it('hides the material and its products from all other users until it is cleared', async () => {
    const { material, products } = await create([wantedProduct(shirt), wantedProduct(mug)]);
    const productId = products[0]!.id;
    const reply = { id: material.id, title: 'Lighthouse', userId: stack.hanako, userName: 'Hanako-1' };
    expect(await violate(material.id, 'not her image')).toEqual({
      ...reply,
      violation: true,
      reason: 'not her image',
    });
    expect(await lastEvent()).toEqual({
      name: 'material.updated',
      payload: {
        materialId: material.id,
        userId: stack.hanako,
        stale: 'all',
        unpublished: [],
        changed: ['violation'],
        revision: 2,
      },
    });
    await expect(stack.products.get(stack.taro, productId)).rejects.toMatchObject({
      kind: problems['product.not-found'],
    });
    await expect(stack.products.ofMaterial(stack.taro, material.id)).rejects.toMatchObject({
      kind: problems['material.not-found'],
    });
    expect(String((await stack.products.get(stack.hanako, productId)).body)).toContain('"violation":true');

    expect(await clear(material.id, 'it was hers')).toEqual({ ...reply, violation: false, reason: 'it was hers' });
    expect(await lastEvent()).toMatchObject({ payload: { materialId: material.id, stale: ['t-shirt', 'mug'] } });
    expect(String((await stack.products.get(stack.taro, productId)).body)).toContain('"violation":false');
  });

  it('changes nothing when the violation is set or cleared again', async () => {
    const { material } = await create([wantedProduct(shirt)]);
    await violate(material.id, 'first');
    const before = [await storedRows(material.id), await countEvents()];
    expect(await violate(material.id, 'second')).toMatchObject({ violation: true, reason: 'first' });
    expect([await storedRows(material.id), await countEvents()]).toEqual(before);
    const { material: clean } = await create();
    expect(await clear(clean.id, 'no violation')).toMatchObject({ violation: false, reason: null });
  });

  it('lets the owner update the material, and hides new products, too', async () => {
    const { material } = await create();
    await violate(material.id, 'first');
    const { products } = await update(material.id, { products: [{ itemId: mug, published: true }] });
    expect(products).toHaveLength(1);
    expect(await lastEvent()).toMatchObject({ name: 'material.updated', payload: { stale: 'all' } });
    await expect(stack.products.get(stack.taro, products[0]!.id)).rejects.toMatchObject({
      kind: problems['product.not-found'],
    });
    await clear(material.id, 'second');
    expect(String((await stack.products.get(stack.taro, products[0]!.id)).body)).toContain('"published":true');
  });

  it('rejects an unknown material', async () => {
    const notFound = { kind: problems['material.not-found'] };
    await expect(violate(999_999_999, 'why')).rejects.toMatchObject(notFound);
    await expect(clear(999_999_999, 'why')).rejects.toMatchObject(notFound);
  });
});
