import { DomainError } from '#kernel';
import { type CatalogItem } from '../items/catalog.snapshot.js';
import { catalog, embroideredCap, mug, phoneCase, retiredSocks, shirt } from '../testing/catalog-fixture.js';
import { productChanges, type ProductState, type WantedChange } from './product-change.rules.js';

const stored = (item: CatalogItem, more: Partial<ProductState> = {}): ProductState => ({
  id: item.id + 100,
  itemId: item.id,
  itemName: item.name,
  exemplaryVariantId: item.exemplaryVariant.id,
  published: false,
  resizeMode: null,
  prints: [],
  imageRevision: 0,
  ...more,
});

const settled = (products: ProductState[], ...wanted: WantedChange[]) => {
  const { changed, made } = productChanges(catalog, products, wanted);
  return { changed: changed.map(({ product, change }) => [product.id, change]), made: made.map((it) => it.product) };
};

function refusal(products: ProductState[], ...wanted: WantedChange[]): { code: string; paths: string[] } {
  try {
    productChanges(catalog, products, wanted);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.status).toBe(422);
    return { code: error.kind.code, paths: (error.errors ?? []).map(({ path }) => path) };
  }
  throw new Error('nothing was refused');
}

const variantPath = ['body.products.0.exemplaryItemVariantId'];

describe('an entry of an update', () => {
  it('changes the product of its item, and only what it says and is different', () => {
    const products = [stored(shirt), stored(phoneCase, { published: true, resizeMode: 'cover' })];
    expect(
      settled(
        products,
        { itemId: phoneCase.id, published: true, resizeMode: null },
        { itemId: shirt.id, published: true, exemplaryItemVariantId: 12, resizeMode: null },
      ),
    ).toEqual({
      changed: [
        [104, { resizeMode: null }],
        [101, { exemplaryVariantId: 12, published: true }],
      ],
      made: [],
    });
    expect(settled(products, { itemId: shirt.id, exemplaryItemVariantId: 11 }, { itemId: phoneCase.id })).toEqual({
      changed: [],
      made: [],
    });
  });

  it('makes a product of an item that the material has not, with the defaults of a new material', () => {
    const plain = { exemplaryVariantId: 31, published: false, resizeMode: null, prints: [] };
    expect(settled([stored(shirt)], { itemId: mug.id })).toEqual({ changed: [], made: [{ ...plain, itemId: mug.id }] });
    const wanted = { itemId: phoneCase.id, exemplaryItemVariantId: 41, published: true, resizeMode: 'cover' } as const;
    expect(settled([], wanted).made).toEqual([
      { itemId: phoneCase.id, exemplaryVariantId: 41, published: true, resizeMode: 'cover', prints: [] },
    ]);
  });

  it('is of the item of its variant when it names no item', () => {
    expect(settled([stored(shirt)], { exemplaryItemVariantId: 12, published: true })).toEqual({
      changed: [[101, { exemplaryVariantId: 12, published: true }]],
      made: [],
    });
    expect(settled([], { exemplaryItemVariantId: 12 }).made).toMatchObject([{ itemId: 1, exemplaryVariantId: 12 }]);
    expect(refusal([], { exemplaryItemVariantId: 999 })).toEqual({
      code: 'item-variant.not-of-item',
      paths: variantPath,
    });
  });

  it('is refused when its item does not exist, and a new one when that has left or is embroidered', () => {
    const paths = ['body.products.0.itemId'];
    expect(refusal([], { itemId: 999 })).toEqual({ code: 'item.not-found', paths });
    expect(refusal([], { itemId: retiredSocks.id })).toEqual({ code: 'item.not-found', paths });
    expect(refusal([], { itemId: embroideredCap.id })).toEqual({ code: 'item.embroidery', paths });
    expect(refusal([], { exemplaryItemVariantId: 61 })).toEqual({ code: 'item.not-found', paths: variantPath });
  });

  it('publishes and hides what is there also when its item has left the catalogue or is embroidered', () => {
    for (const item of [retiredSocks, embroideredCap])
      expect(settled([stored(item)], { itemId: item.id, published: true }).changed).toEqual([
        [item.id + 100, { published: true }],
      ]);
  });

  it('lets a variant that can no longer be ordered stay, and none become it', () => {
    const kept = stored(shirt, { exemplaryVariantId: 13 });
    expect(settled([kept], { itemId: shirt.id, exemplaryItemVariantId: 13, published: true }).changed).toEqual([
      [101, { published: true }],
    ]);
    const become = (id: number) => refusal([stored(shirt)], { itemId: shirt.id, exemplaryItemVariantId: id });
    expect(become(13)).toEqual({ code: 'item-variant.disabled', paths: variantPath });
    expect(become(31)).toEqual({ code: 'item-variant.not-of-item', paths: variantPath });
    expect(become(999)).toEqual({ code: 'item-variant.not-of-item', paths: variantPath });
  });

  it('keeps the sides printed: a variant without one of them is refused', () => {
    const prints = (place: string) => [{ place, textureHash: 'a'.repeat(64), enabled: false }];
    const wanted = { itemId: shirt.id, exemplaryItemVariantId: 12 };
    expect(settled([stored(shirt, { prints: prints('back') })], wanted).changed).toHaveLength(1);
    expect(refusal([stored(shirt, { prints: prints('left') })], wanted)).toEqual({
      code: 'print-place.not-of-item',
      paths: variantPath,
    });
  });

  it('is refused a resize mode that its item does not allow, and may keep one', () => {
    const cover = { itemId: mug.id, resizeMode: 'cover' } as const;
    const refused = { code: 'resize-mode.not-allowed', paths: ['body.products.0.resizeMode'] };
    expect(refusal([stored(mug)], cover)).toEqual(refused);
    expect(refusal([], cover)).toEqual(refused);
    expect(settled([stored(mug, { resizeMode: 'cover' })], cover).changed).toEqual([]);
  });

  it('is refused when another one is of the same item, however they name it', () => {
    const twice = [{ itemId: shirt.id }, { exemplaryItemVariantId: 12 }];
    const refused = { code: 'product.duplicate-item', paths: ['body.products.1.exemplaryItemVariantId'] };
    expect(refusal([stored(shirt)], ...twice)).toEqual(refused);
    expect(refusal([], ...twice)).toEqual(refused);
  });
});

it('says everything that is wrong with an update at once', () => {
  const wanted = [
    { itemId: shirt.id, exemplaryItemVariantId: 31, resizeMode: 'cover' as const },
    { itemId: 999 },
    { itemId: mug.id, resizeMode: 'cover' as const },
  ];
  expect(refusal([stored(shirt)], ...wanted)).toEqual({
    code: 'resize-mode.not-allowed',
    paths: [
      'body.products.0.resizeMode',
      'body.products.0.exemplaryItemVariantId',
      'body.products.1.itemId',
      'body.products.2.resizeMode',
    ],
  });
});
