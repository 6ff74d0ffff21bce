import { nextOffsetHeader, type PayloadOf, problems, ProductListResponse, type Services } from '#contracts';
import { bodyOf, catalogStack, type CatalogStack, wantedMaterial, wantedProduct } from '../testing/catalog-stack.js';

type PageRequest = PayloadOf<Services['catalog'], 'products.page'>;

const shirt = 1;
const mug = 3;
/**
 * Variants of the shirt: the representative one of the item, and a white M with a different price.
 */
const whiteS = 1;
const whiteM = 1002;
let stack: CatalogStack;
let products: Record<'shirt' | 'mug' | 'draft', number>;

const page = async (viewerId: number, entries: PageRequest['entries'], nextOffset: number | null = null) => {
  const reply = await stack.products.chosen({ viewerId, entries, nextOffset });
  return { list: ProductListResponse.strict().parse(bodyOf(reply)), headers: reply.headers };
};
const choose = (entries: { productId: number; itemVariantId?: number }[], viewerId = stack.taro) =>
  stack.facts.choose({ viewerId, entries });

beforeAll(async () => {
  stack = await catalogStack();
  await stack.database.query('update item_variants set price = 2600 where id = $1', [whiteM]);
  await stack.database.query('update item_variants set enabled = false where id = 1003');
  const wanted = [wantedProduct(shirt), wantedProduct(mug), wantedProduct(4, { published: false })];
  const reply = await stack.materials.create(wantedMaterial(stack.hanako, { products: wanted }));
  const [first, second, third] = (bodyOf(reply) as { products: { id: number }[] }).products;
  products = { shirt: first!.id, mug: second!.id, draft: third!.id };
});
afterAll(() => stack.close());

describe('ProductQueries.chosen', () => {
  it('returns the given order and variants, including duplicate products', async () => {
    const { list } = await page(stack.taro, [
      { productId: products.shirt, itemVariantId: whiteM },
      { productId: products.mug, itemVariantId: null },
      { productId: products.shirt, itemVariantId: null },
    ]);
    expect(list.products.map((it) => [it.id, it.sampleItemVariant.id, it.price])).toEqual([
      [products.shirt, whiteM, 2900],
      [products.mug, 3001, expect.any(Number)],
      [products.shirt, whiteS, 2500],
    ]);
    const [inM, , inS] = list.products;
    expect(inM!.sampleImageUrl).toContain('/t-shirt/m/white/');
    expect(inM!.sampleUrl).toContain('/t-shirt/m/white');
    expect(inS!.sampleImageUrl).toContain('/t-shirt/s/white/');
  });

  it('omits missing products and those hidden from the viewer', async () => {
    const entries = [products.draft, 999_999, products.mug].map((productId) => ({ productId, itemVariantId: null }));
    const idsFor = async (viewerId: number) => (await page(viewerId, entries)).list.products.map(({ id }) => id);
    expect(await idsFor(stack.taro)).toEqual([products.mug]);
    expect(await idsFor(stack.hanako)).toEqual([products.draft, products.mug]);
    expect((await page(stack.taro, [])).list.products).toEqual([]);
  });

  it('replaces a variant of another item by the representative one', async () => {
    for (const itemVariantId of [3001, 999_999]) {
      const { list } = await page(stack.taro, [{ productId: products.shirt, itemVariantId }]);
      expect(list.products[0]!.sampleItemVariant.id).toBe(whiteS);
    }
  });

  it('returns the offset of the next page', async () => {
    const entries = [{ productId: products.mug, itemVariantId: null }];
    const first = await page(stack.taro, entries, 40);
    const headers = { etag: expect.any(String), validity: expect.any(String) };
    expect([first.list.meta.hasNext, first.headers]).toEqual([true, { ...headers, [nextOffsetHeader]: '40' }]);
    const last = await page(stack.taro, entries);
    expect([last.list.meta.hasNext, last.headers]).toEqual([false, headers]);
  });
});

describe('ProductFactsQueries.choose', () => {
  it('chooses the representative variant by default', async () => {
    const entries = [
      { productId: products.shirt, itemVariantId: whiteM },
      { productId: products.shirt },
      { productId: products.mug },
    ];
    expect(await choose(entries)).toEqual({
      entries: [
        { productId: products.shirt, itemVariantId: whiteM },
        { productId: products.shirt, itemVariantId: whiteS },
        { productId: products.mug, itemVariantId: 3001 },
      ],
    });
    expect(await choose([])).toEqual({ entries: [] });
    expect(await choose([{ productId: products.draft }], stack.hanako)).toMatchObject({ entries: [{}] });
  });

  it('reports all errors at once', async () => {
    const entries = [
      { productId: products.shirt },
      { productId: 999_999 },
      { productId: products.draft, itemVariantId: whiteS },
      { productId: products.mug, itemVariantId: whiteS },
      { productId: products.mug, itemVariantId: 999_999 },
      { productId: products.shirt, itemVariantId: 1003 },
    ];
    await expect(choose(entries)).rejects.toMatchObject({
      kind: problems['product.not-found'],
      errors: [
        { path: 'entries.1.productId' },
        { path: 'entries.2.productId' },
        { path: 'entries.3.itemVariantId' },
        { path: 'entries.4.itemVariantId' },
        { path: 'entries.5.itemVariantId' },
      ],
    });
  });

  it.each([
    ['a variant of another item', 3001, 'item-variant.not-of-item'],
    ['an unknown variant', 999_999, 'item-variant.not-of-item'],
    ['a disabled variant', 1003, 'item-variant.disabled'],
  ] as const)('rejects %s', async (_variant, itemVariantId, code) => {
    await expect(choose([{ productId: products.shirt, itemVariantId }])).rejects.toMatchObject({
      kind: problems[code],
      errors: [{ path: 'entries.0.itemVariantId' }],
    });
  });
});

describe('the view titled_products', () => {
  it('has the title, owner and visibility of products in responses', async () => {
    const published = await stack.database.query<{ id: number }>(
      'select id, user_id, listed, title from titled_products',
    );
    const entries = Object.values(products).map((productId) => ({ productId, itemVariantId: null }));
    const { list } = await page(stack.hanako, entries);
    const titles = list.products.map(({ id, title, published: listed }) => ({
      id,
      title,
      listed,
      user_id: stack.hanako,
    }));
    expect(published.sort((a, b) => a.id - b.id)).toEqual(titles.sort((a, b) => a.id - b.id));
  });
});
