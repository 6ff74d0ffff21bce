import { jest } from '@jest/globals';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { violatedConstraint } from '#persistence';
import {
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
const create = (viewerId: number, more?: Partial<WantedMaterial>) => createMaterial(stack, viewerId, more);
const count = async (table: 'materials' | 'products' | 'outbox'): Promise<number> => {
  const [row] = await stack.database.query<{ count: number }>(`select count(*)::int as count from ${table}`);
  return row!.count;
};
const countRows = async () => [await count('materials'), await count('products'), await count('outbox')];

beforeAll(async () => {
  stack = await catalogStack();
});
afterAll(() => stack.close());
beforeEach(() => {
  stack.rendering.storedSources.length = 0;
  stack.rendering.rejectionOf = undefined;
});

describe('MaterialService.create', () => {
  it('returns the material and its products in the given order, and appends an event', async () => {
    const { material, products } = await create(stack.hanako, {
      title: '灯台 🐈',
      products: [
        wantedProduct(mug, { published: false }),
        wantedProduct(shirt),
        wantedProduct(phoneCase, { resizeMode: 'cover' }),
      ],
    });
    expect(material).toMatchObject({
      title: '灯台 🐈',
      price: 300,
      published: true,
      violation: false,
      originalWidth: 640,
      originalHeight: 480,
      dominantRgb: '#274b6d',
      user: { id: stack.hanako, name: 'Hanako-1', displayName: 'Hanako', avatarUrl: null },
    });
    expect(material.publishedAt).not.toBeNull();
    expect(products.map(({ item, published, resizeMode }) => [item.id, published, resizeMode])).toEqual([
      [mug, false, null],
      [shirt, true, null],
      [phoneCase, true, 'cover'],
    ]);
    expect(products.map(({ publishedAt }) => publishedAt === null)).toEqual([true, false, false]);
    expect((await outbox(stack.database)).at(-1)).toEqual({
      name: 'material.created',
      payload: { materialId: material.id, userId: stack.hanako, title: '灯台 🐈', revision: 1 },
    });
  });

  it('creates an unpublished material without products', async () => {
    const { material, products } = await create(stack.hanako);
    expect(products).toEqual([]);
    expect(material).toMatchObject({ published: false, publishedAt: null });
  });

  it('stores each image once, and additional prints with the product and in its price', async () => {
    const texture = { kind: 'upload', key: `uploads/${'0'.repeat(36)}` } as const;
    const url = { kind: 'url', url: 'https://example.com/cat.png' } as const;
    const back = (enabled: boolean) => [{ texture, printSide: 'back', enabled }];
    const { material, products } = await create(stack.hanako, {
      texture: url,
      products: [
        wantedProduct(shirt, { sub_materials: back(true) }),
        wantedProduct(15, { sub_materials: back(false) }),
      ],
    });
    expect(stack.rendering.storedSources).toEqual([url, texture]);
    const placePrice = products[0]!.sampleItemVariant.printPlaces.find(({ place }) => place === 'back')!.price;
    const front = (index: number) =>
      products[index]!.sampleItemVariant.printPlaces.find(({ place }) => place === 'front')!.price;
    expect(products[0]!.price).toBe(products[0]!.sampleItemVariant.price + 300 + front(0) + placePrice);
    expect(products[1]!.price).toBe(products[1]!.sampleItemVariant.price + 300 + front(1));
    const source = await stack.images.imageSourceOf(material.id);
    expect(source.products.map(({ prints }) => prints.length)).toEqual([1, 0]);
    expect(source.products[0]!.prints[0]!.textureHash).not.toBe(source.textureHash);
  });

  it('rejects violations of catalog rules before storing images', async () => {
    const before = await countRows();
    const products = [wantedProduct(mug, { resizeMode: 'cover' as const })];
    await expect(create(stack.hanako, { products })).rejects.toMatchObject({
      kind: problems['resize-mode.not-allowed'],
    });
    expect(stack.rendering.storedSources).toEqual([]);
    expect(await countRows()).toEqual(before);
  });

  it('writes nothing for rejected images, and reports each path that references them', async () => {
    const before = await countRows();
    stack.rendering.rejectionOf = (source) =>
      source.kind === 'url' && source.url.includes('bad')
        ? new DomainError(problems['texture.not-fetched'], `the server returned 404 for ${source.url.slice(20)}`)
        : undefined;
    const imageOf = (name: string) => ({ kind: 'url' as const, url: `https://example.com/${name}.png` });
    const back = (name: string) => [{ texture: imageOf(name), printSide: 'back', enabled: true }];
    const products = [
      wantedProduct(shirt, { sub_materials: back('bad-1') }),
      wantedProduct(15, { sub_materials: back('bad-2') }),
    ];
    await expect(create(stack.hanako, { texture: imageOf('bad-1'), products })).rejects.toMatchObject({
      kind: problems['texture.not-fetched'],
      detail: 'body.texture: the server returned 404 for bad-1.png',
      errors: [
        { path: 'body.texture', message: 'the server returned 404 for bad-1.png' },
        { path: 'body.products.0.sub_materials.0.texture', message: 'the server returned 404 for bad-1.png' },
        { path: 'body.products.1.sub_materials.0.texture', message: 'the server returned 404 for bad-2.png' },
      ],
    });
    expect(await countRows()).toEqual(before);
  });

  it('writes nothing when a constraint rejects a product of a stale catalog', async () => {
    const before = await countRows();
    const snapshot = await stack.catalog.current();
    const item = { ...snapshot.item(shirt)!, id: 999_999 };
    const stale = { ...snapshot, item: () => item };
    jest.spyOn(stack.catalog, 'current').mockResolvedValueOnce(stale);
    const creation = create(stack.hanako, { products: [wantedProduct(999_999)] });
    await expect(creation).rejects.toMatchObject({ kind: problems['item.not-found'] });
    expect(await countRows()).toEqual(before);
  });

  it('creates twenty materials concurrently without mixing them up', async () => {
    const [materials, products] = await countRows();
    const created = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        create(index % 2 ? stack.hanako : stack.taro, {
          title: `Number ${index}`,
          products: [wantedProduct(shirt), wantedProduct(mug)],
        }),
      ),
    );
    expect(new Set(created.map(({ material }) => material.id)).size).toBe(20);
    for (const [index, { material, products: ownProducts }] of created.entries()) {
      expect(material.title).toBe(`Number ${index}`);
      expect(ownProducts.map(({ item, material: of }) => [item.id, of.id])).toEqual([
        [shirt, material.id],
        [mug, material.id],
      ]);
    }
    expect((await countRows()).slice(0, 2)).toEqual([materials! + 20, products! + 40]);
  });
});

describe('constraints of the table products', () => {
  const insert = `insert into products (material_id, user_id, violation, item_id, exemplary_variant_id, published)
    select m.id, m.user_id, m.violation, $2, i.exemplary_variant_id, false from materials m, items i
    where m.id = $1 and i.id = $2`;

  it('allow one product per material and item', async () => {
    const { material } = await create(stack.hanako);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => stack.database.query(insert, [material.id, shirt])),
    );
    const rejected = results.filter((it) => it.status === 'rejected');
    expect(rejected).toHaveLength(19);
    expect(new Set(rejected.map(({ reason }) => violatedConstraint(reason)))).toEqual(
      new Set(['products_material_item_key']),
    );
  });

  it('derive listed from the violation of the material', async () => {
    const { material, products } = await create(stack.hanako, { products: [wantedProduct(shirt)] });
    const listed = async () => {
      const [row] = await stack.database.query<{ listed: boolean }>('select listed from products where id = $1', [
        products[0]!.id,
      ]);
      return row!.listed;
    };
    expect(await listed()).toBe(true);
    await stack.database.query('update materials set violation = true where id = $1', [material.id]);
    expect(await listed()).toBe(false);
    await stack.database.query('update materials set violation = false where id = $1', [material.id]);
    expect(await listed()).toBe(true);
  });

  it('reject a variant of another item, and a published product without a publication time', async () => {
    const { products } = await create(stack.hanako, { products: [wantedProduct(shirt)] });
    const mugVariant = (await stack.catalog.current()).item(mug)!.exemplaryVariant.id;
    const change = (set: string) =>
      stack.database.query(`update products set ${set} where id = $1`, [products[0]!.id]).catch(violatedConstraint);
    expect(await change(`exemplary_variant_id = ${mugVariant}`)).toBe('products_variant_fk');
    expect(await change('published_at = null')).toBe('products_published_at');
  });
});

describe('MaterialService.delete', () => {
  it('deletes the products, too, and appends an event', async () => {
    const { material, products } = await create(stack.hanako, { products: [wantedProduct(shirt), wantedProduct(mug)] });
    const { filePath } = await stack.images.imageSourceOf(material.id);
    const [materials, all] = await countRows();
    const rows = await stack.database.query<{ hash: string }>(
      'select texture_hash as hash from materials where id = $1',
      [material.id],
    );
    const textures = rows.map(({ hash }) => hash);
    await stack.materials.delete(stack.hanako, material.id);
    expect((await countRows()).slice(0, 2)).toEqual([materials! - 1, all! - 2]);
    expect((await outbox(stack.database)).at(-1)).toEqual({
      name: 'material.deleted',
      payload: {
        materialId: material.id,
        userId: stack.hanako,
        productIds: products.map(({ id }) => id),
        filePath,
        textures,
        revision: 2,
      },
    });
    await expect(stack.images.imageSourceOf(material.id)).rejects.toMatchObject({
      kind: problems['material.not-found'],
    });
  });

  it('rejects unknown materials, and hidden and visible ones of other users', async () => {
    const visible = (await create(stack.hanako, { products: [wantedProduct(shirt)] })).material.id;
    const hidden = (await create(stack.hanako)).material.id;
    const before = await countRows();
    const codeOf = (id: number) =>
      stack.materials.delete(stack.taro, id).then(
        () => 'deleted',
        (error: unknown) => (error instanceof DomainError ? error.kind.code : error),
      );
    expect(await codeOf(visible)).toBe('material.not-owned');
    expect(await codeOf(hidden)).toBe('material.not-found');
    expect(await codeOf(999_999_999)).toBe('material.not-found');
    expect(await countRows()).toEqual(before);
  });

  it('deletes once for ten concurrent requests', async () => {
    const { material } = await create(stack.hanako, { products: [wantedProduct(shirt)] });
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => stack.materials.delete(stack.hanako, material.id)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const events = (await outbox(stack.database)).filter(
      ({ name, payload }) => name === 'material.deleted' && payload.materialId === material.id,
    );
    expect(events).toHaveLength(1);
  });
});
