import { jest } from '@jest/globals';
import {
  nextOffsetHeader,
  type PayloadOf,
  problems,
  ProductListResponse,
  ProductResponse,
  type Services,
} from '#contracts';
import { pageOfProducts } from './product-page.queries.js';
import { bodyOf, catalogStack, type CatalogStack, wantedMaterial, wantedProduct } from '../testing/catalog-stack.js';

const noFilters = { itemId: undefined, userId: undefined, userName: undefined, materialId: undefined };
type ListRequest = PayloadOf<Services['catalog'], 'products.list'>;

interface Stored {
  id: number;
  user_id: number;
  item_id: number;
  material_id: number;
  published: boolean;
  violation: boolean;
  created_at: Date;
}

const items = [1, 3, 4];
let stack: CatalogStack;
/** All products, newest first, then by descending id. */
let stored: Stored[];

const list = async (viewerId: number, more: Partial<ListRequest> = {}) =>
  ProductListResponse.parse(
    bodyOf(await stack.products.list({ viewerId, limit: 50, offset: 0, ...noFilters, ...more })),
  );
const idsOf = ({ products }: { products: readonly { id: number }[] }): number[] => products.map(({ id }) => id);
const isVisible = (product: Stored, viewerId: number): boolean =>
  (product.published && !product.violation) || product.user_id === viewerId;

/** Computes the expected list from all rows. */
function expected(viewerId: number, { itemId, userId, userName, materialId }: Partial<ListRequest>): number[] {
  const named = userName === 'Hanako-1' ? stack.hanako : userName === 'taro' ? stack.taro : -1;
  return stored
    .filter((it) => isVisible(it, viewerId))
    .filter((it) => itemId === undefined || it.item_id === itemId)
    .filter((it) => userId === undefined || it.user_id === userId)
    .filter((it) => userName === undefined || it.user_id === named)
    .filter((it) => materialId === undefined || it.material_id === materialId)
    .map(({ id }) => id);
}

/** Names of the users by id. */
let names: ReadonlyMap<number, string>;
let itemNames: ReadonlyMap<number, string>;
type FindRequest = PayloadOf<Services['catalog'], 'products.find'>;

/** Returns a request of another user for the product of a page URL. */
const findRequest = (product: Stored, more: Partial<FindRequest> = {}): FindRequest => ({
  viewerId: 999,
  userName: names.get(product.user_id)!,
  materialId: product.material_id,
  itemName: itemNames.get(product.item_id)!,
  ...more,
});

/** Creates materials of three users with products in all states. */
beforeAll(async () => {
  stack = await catalogStack();
  const owners = [stack.hanako, stack.taro, stack.hanako, stack.jiro, stack.taro, stack.hanako];
  for (const [index, viewerId] of owners.entries()) {
    const products = items.map((itemId, nth) => wantedProduct(itemId, { published: (index + nth) % 3 !== 0 }));
    await stack.materials.create(wantedMaterial(viewerId, { title: `Number ${index}`, products }));
  }
  const [violating] = await stack.database.query<{ id: number }>(
    'select id from materials where user_id = $1 order by id limit 1',
    [stack.taro],
  );
  await stack.database.query('update materials set violation = true where id = $1', [violating!.id]);
  // Gives products of different users the same creation time
  await stack.database.query(
    `update products set created_at = (select max(created_at) from products) where item_id = 3`,
  );
  stored = await stack.database.query<Stored>('select * from products order by created_at desc, id desc');
  names = new Map([
    [stack.hanako, 'Hanako-1'],
    [stack.taro, 'taro'],
    [stack.jiro, 'jiro'],
  ]);
  itemNames = new Map((await stack.catalog.current()).items.map(({ id, name }) => [id, name]));
});
afterAll(() => stack.close());

describe('ProductQueries.list', () => {
  it('returns public products and all of the viewer, newest first, for each viewer', async () => {
    const hidden = stored.filter(({ published }) => !published).length;
    expect(hidden).toBeGreaterThan(3);
    for (const viewerId of [stack.hanako, stack.taro, stack.jiro, 999]) {
      const page = await list(viewerId);
      expect(idsOf(page)).toEqual(expected(viewerId, {}));
      expect(page.meta.hasNext).toBe(false);
    }
    expect(expected(999, {})).not.toEqual(expected(stack.taro, {}));
  });

  it('filters by item, user, user name and material in every combination', async () => {
    const materialId = stored.find(({ user_id: userId }) => userId === stack.hanako)!.material_id;
    const values = {
      itemId: [undefined, 1, 999],
      userId: [undefined, stack.hanako, stack.taro, 999],
      userName: [undefined, 'Hanako-1', 'taro', 'unknown'],
      materialId: [undefined, materialId, 999_999],
    };
    const viewerId = stack.hanako;
    let found = 0;
    for (const itemId of values.itemId)
      for (const userId of values.userId)
        for (const userName of values.userName)
          for (const material of values.materialId) {
            const filters = { itemId, userId, userName, materialId: material };
            const ids = idsOf(await list(viewerId, filters));
            expect({ filters, ids }).toEqual({ filters, ids: expected(viewerId, filters) });
            found += ids.length;
          }
    expect(found).toBeGreaterThan(50);
  });

  it('matches user names exactly', async () => {
    expect(idsOf(await list(999, { userName: 'hanako-1' }))).toEqual([]);
    expect(idsOf(await list(999, { userName: 'Hanako-1' })).length).toBeGreaterThan(0);
  });

  it('pages without gaps or duplicates across equal times, with exact hasNext', async () => {
    for (const viewerId of [stack.hanako, 999]) {
      const all = expected(viewerId, {});
      for (const limit of [1, 2, 5, all.length - 1, all.length]) {
        const seen: number[] = [];
        for (let offset = 0; offset < all.length; offset += limit) {
          const page = await list(viewerId, { limit, offset });
          seen.push(...idsOf(page));
          expect(page.meta.hasNext).toBe(offset + limit < all.length);
        }
        expect(seen).toEqual(all);
      }
      expect(await list(viewerId, { offset: 999_999_999 })).toEqual({ products: [], meta: { hasNext: false } });
    }
  });

  it('returns the offset of the next page, except on the last one', async () => {
    const request = { viewerId: 999, limit: 3, offset: 1, ...noFilters };
    const headers = { etag: expect.any(String), validity: expect.any(String) };
    expect((await stack.products.list(request)).headers).toEqual({ ...headers, [nextOffsetHeader]: '4' });
    expect((await stack.products.list({ ...request, limit: 50 })).headers).toEqual(headers);
  });

  it('hides products with a violation from all but the owner', async () => {
    const violating = stored.filter(({ violation, published }) => violation && published).map(({ id }) => id);
    expect(violating.length).toBeGreaterThan(0);
    expect(idsOf(await list(stack.jiro))).not.toEqual(expect.arrayContaining(violating));
    expect(idsOf(await list(stack.taro))).toEqual(expect.arrayContaining(violating));
  });

  it('reads an index in the order of the list for each filter', async () => {
    const filters: [string, Partial<ListRequest>][] = [
      ['products_listed', {}],
      ['products_listed_of_item', { itemId: 1 }],
      ['products_listed_of_user', { userId: stack.taro }],
      ['products_listed_of_user', { userName: 'taro' }],
      // With few rows, the index by item costs the same, because it includes the user id
      ['products_listed_of_(user_)?item', { userId: stack.taro, itemId: 1 }],
      ['products_listed_of_(user_)?item', { userName: 'taro', itemId: 1 }],
    ];
    for (const [index, more] of filters) {
      const { sql, parameters } = pageOfProducts({
        viewerId: stack.hanako,
        limit: 20,
        offset: 0,
        ...noFilters,
        ...more,
      });
      const plan = await stack.database.transaction(async (tx) => {
        // PostgreSQL would scan and sort a table of a few rows
        for (const method of ['seqscan', 'bitmapscan', 'sort']) await tx.query(`set local enable_${method} = off`);
        return JSON.stringify(await tx.query(`explain (format json) ${sql}`, [...parameters]));
      });
      expect({ index, plan }).toEqual({ index, plan: expect.stringMatching(`"Index Name":"${index}"`) });
      expect(plan).not.toContain('"Node Type":"Sort"');
    }
  });
});

describe('ProductQueries.newest', () => {
  const newest = async (limit: number, offset = 0) =>
    ProductListResponse.parse(bodyOf(await stack.products.newest({ limit, offset })));

  /** Returns the newest public product of each material, computed from all rows. */
  const newestOfMaterials = (): Stored[] => {
    const materials = new Set<number>();
    const isFirst = ({ material_id: id }: Stored): boolean => !materials.has(id) && !!materials.add(id);
    return stored.filter((it) => isVisible(it, 999)).filter(isFirst);
  };

  it('returns one public product of each material, newest first', async () => {
    const all = newestOfMaterials();
    expect(all.length).toBeLessThan(expected(999, {}).length);
    const page = await newest(50);
    expect([idsOf(page), page.meta.hasNext]).toEqual([all.map(({ id }) => id), false]);
  });

  it('pages without gaps or duplicates', async () => {
    const all = newestOfMaterials();
    const seen: number[] = [];
    for (let offset = 0; offset < all.length; offset += 2) {
      const page = await newest(2, offset);
      seen.push(...idsOf(page));
      expect(page.meta.hasNext).toBe(offset + 2 < all.length);
    }
    expect(seen).toEqual(all.map(({ id }) => id));
  });

  it('returns another product of the material when the newest is unpublished', async () => {
    const [first] = newestOfMaterials();
    const setPublished = (published: boolean) =>
      stack.database.query('update products set published = $2 where id = $1', [first!.id, published]);
    await setPublished(false);
    const { products } = await newest(50);
    await setPublished(true);
    const shown = products.filter(({ material }) => material.id === first!.material_id);
    expect(shown.map(({ id }) => id)).toEqual([expect.any(Number)]);
    expect(shown[0]!.id).not.toBe(first!.id);
  });
});

describe('ProductQueries.get and find', () => {
  it('return the product under both keys, with all variants of its item and an entity tag', async () => {
    const product = stored.find(({ published, violation }) => published && !violation)!;
    const reply = await stack.products.get(999, product.id);
    const { etag } = reply.headers;
    const response = ProductResponse.strict().parse(bodyOf(reply));
    expect(response.products).toEqual(response.product);
    expect(response.product.id).toBe(product.id);
    const variants = (await stack.catalog.current()).item(product.item_id)!.variants;
    expect(response.product.itemVariants).toHaveLength(variants.length);
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect((await stack.products.get(999, product.id)).headers.etag).toBe(etag);
    await stack.database.query(`update materials set title = 'Renamed' where id = $1`, [product.material_id]);
    expect((await stack.products.get(999, product.id)).headers.etag).not.toBe(etag);
  });

  it('reject unknown products, and unpublished or violating ones except for the owner', async () => {
    const notFound = { kind: problems['product.not-found'] };
    await expect(stack.products.get(999, 999_999_999)).rejects.toMatchObject(notFound);
    const hidden = stored.filter(({ published, violation }) => !published || violation);
    expect(hidden.some(({ violation }) => violation)).toBe(true);
    for (const { id, user_id: ownerId } of hidden) {
      await expect(stack.products.get(999, id)).rejects.toMatchObject(notFound);
      expect(String((await stack.products.get(ownerId, id)).body)).toContain(`"id":${id},`);
    }
  });

  it('find a product by its page URL, with any case of the user name', async () => {
    const published = stored.find((it) => isVisible(it, 999) && it.user_id === stack.hanako)!;
    for (const userName of ['Hanako-1', 'hanako-1', 'HANAKO-1'])
      expect(bodyOf(await stack.products.find(findRequest(published, { userName })))).toMatchObject(
        bodyOf(await stack.products.get(999, published.id)) as object,
      );
  });

  it('return the variant of the page URL, with its price and images', async () => {
    const product = stored.find((it) => isVisible(it, 999) && it.user_id === stack.hanako && it.item_id === 1)!;
    const { variants } = (await stack.catalog.current()).item(1)!;
    const other = variants.find(({ exemplary, size }) => !exemplary && size.name !== 's')!;
    const variant = { size: other.size.name, color: other.color.name };
    const body = bodyOf(await stack.products.find(findRequest(product, { variant })));
    const { product: found } = ProductResponse.parse(body);
    expect(body).toMatchObject({ representativeVariantId: variants.find(({ exemplary }) => exemplary)!.id });
    expect(found.sampleItemVariant.id).toBe(other.id);
    expect(found.sampleImageUrl).toContain(`/t-shirt/${variant.size}/${variant.color}/`);
    expect(found.sampleUrl).toBe(found.url.replace('{size}/{color}', `${variant.size}/${variant.color}`));
    expect(found.price).toBe(other.price + found.material.price + other.printPlaces[0]!.price);
  });

  it('reject a page URL with an invalid component, and products hidden from the viewer', async () => {
    const notFound = { kind: problems['product.not-found'] };
    const product = stored.find((it) => isVisible(it, 999) && it.user_id === stack.hanako)!;
    for (const invalid of [
      { userName: 'taro' },
      { userName: 'anonymous' },
      { materialId: 999_999_999 },
      { itemName: 'mug-' },
      { variant: { size: 's', color: 'no-such-color' } },
      { variant: { size: '{size}', color: '{color}' } },
    ])
      await expect(stack.products.find(findRequest(product, invalid))).rejects.toMatchObject(notFound);
    for (const hidden of stored.filter(({ published, violation }) => !published || violation)) {
      const ownerName = [...names].find(([id]) => id === hidden.user_id)![1];
      const request = findRequest(hidden, { userName: ownerName });
      for (const viewerId of [0, 999])
        await expect(stack.products.find({ ...request, viewerId })).rejects.toMatchObject(notFound);
      expect(String((await stack.products.find({ ...request, viewerId: hidden.user_id })).body)).toContain(
        `"id":${hidden.id},`,
      );
    }
  });

  it('soldProduct returns the owner and the title', async () => {
    const { id, user_id: ownerId, material_id: materialId } = stored.find((it) => isVisible(it, 999))!;
    const [material] = await stack.database.query<{ title: string }>('select title from materials where id = $1', [
      materialId,
    ]);
    const sold = await stack.facts.soldProduct(id);
    expect(sold.ownerId).toBe(ownerId);
    expect(sold.title.startsWith(`${material!.title} `)).toBe(true);
  });

  it('reload a cached catalog that is older than the item of the product', async () => {
    const { id } = stored.find((it) => isVisible(it, 999))!;
    const snapshot = await stack.catalog.current();
    const stale = { ...snapshot, item: () => undefined, variant: () => undefined };
    const current = jest.spyOn(stack.catalog, 'current').mockResolvedValueOnce(stale);
    const invalidate = jest.spyOn(stack.catalog, 'invalidate');
    expect(String((await stack.products.get(999, id)).body)).toContain(`"id":${id},`);
    expect(invalidate).toHaveBeenCalledTimes(1);
    current.mockRestore();
    invalidate.mockRestore();
  });
});
