import { DomainError } from '#kernel';
import { catalog, embroideredCap, mug, phoneCase, retiredSocks, shirt } from '../testing/catalog-fixture.js';
import { validateNewProducts, type WantedProduct } from './new-product.rules.js';

const texture = { kind: 'url', url: 'https://example.com/back.png' } as const;
const wanted = (itemId: number, more: Partial<WantedProduct> = {}): WantedProduct => ({
  itemId,
  published: false,
  sub_materials: [],
  ...more,
});
const print = (printSide: string, enabled = true) => ({ texture, printSide, enabled });

function rejectionOf(...products: WantedProduct[]): { code: string; paths: string[]; detail: string } {
  try {
    validateNewProducts(catalog, products);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.status).toBe(422);
    return { code: error.kind.code, paths: (error.errors ?? []).map(({ path }) => path), detail: error.detail };
  }
  throw new Error('no error was thrown');
}

describe('validateNewProducts', () => {
  it('uses the exemplary variant of the item by default', () => {
    expect(validateNewProducts(catalog, [wanted(shirt.id, { published: true })])).toEqual([
      { item: shirt, exemplaryVariantId: 11, published: true, resizeMode: null, placement: null, prints: [] },
    ]);
  });

  it('returns the given variant, resize mode and additional prints', () => {
    const [product] = validateNewProducts(catalog, [
      wanted(shirt.id, { exemplaryItemVariantId: 12, resizeMode: 'contain', sub_materials: [print('back', false)] }),
    ]);
    expect(product).toMatchObject({ exemplaryVariantId: 12, resizeMode: 'contain' });
    expect(product!.prints).toEqual([
      {
        path: 'body.products.0.sub_materials.0.texture',
        place: 'back',
        source: texture,
        enabled: false,
        placement: null,
      },
    ]);
  });

  it('rejects an unknown or disabled item', () => {
    for (const id of [999, retiredSocks.id]) {
      expect(rejectionOf(wanted(shirt.id), wanted(id))).toMatchObject({
        code: 'item.not-found',
        paths: ['body.products.1.itemId'],
      });
    }
  });

  it('determines the item by the variant without an item id', () => {
    const byVariant = (id: number) => wanted(shirt.id, { itemId: undefined, exemplaryItemVariantId: id });
    expect(validateNewProducts(catalog, [byVariant(12)])).toMatchObject([{ item: { id: 1 }, exemplaryVariantId: 12 }]);
    const paths = ['body.products.0.exemplaryItemVariantId'];
    expect(rejectionOf(byVariant(999))).toMatchObject({ code: 'item-variant.not-of-item', paths });
    expect(rejectionOf(byVariant(61))).toMatchObject({ code: 'item.not-found', paths });
    expect(rejectionOf(byVariant(13))).toMatchObject({ code: 'item-variant.disabled', paths });
    expect(rejectionOf(wanted(shirt.id), byVariant(11))).toMatchObject({
      code: 'product.duplicate-item',
      paths: ['body.products.1.exemplaryItemVariantId'],
    });
    expect(rejectionOf(wanted(shirt.id, { itemId: undefined }))).toMatchObject({
      detail: 'body.products.0.itemId: is required',
    });
  });

  it('rejects an embroidery item', () => {
    expect(rejectionOf(wanted(embroideredCap.id))).toMatchObject({
      code: 'item.embroidery',
      paths: ['body.products.0.itemId'],
    });
  });

  it('rejects a duplicate item', () => {
    expect(rejectionOf(wanted(mug.id), wanted(shirt.id), wanted(mug.id))).toMatchObject({
      code: 'product.duplicate-item',
      paths: ['body.products.2.itemId'],
    });
  });

  it('rejects variants that are unknown, disabled or of another item', () => {
    const path = ['body.products.0.exemplaryItemVariantId'];
    const withVariant = (id: number) => rejectionOf(wanted(shirt.id, { exemplaryItemVariantId: id }));
    expect(withVariant(31)).toMatchObject({ code: 'item-variant.not-of-item', paths: path });
    expect(withVariant(999)).toMatchObject({ code: 'item-variant.not-of-item', paths: path });
    expect(withVariant(13)).toMatchObject({ code: 'item-variant.disabled', paths: path });
  });

  it('rejects cover for a mug, and accepts it for a phone case', () => {
    expect(rejectionOf(wanted(mug.id, { resizeMode: 'cover' }))).toMatchObject({
      code: 'resize-mode.not-allowed',
      paths: ['body.products.0.resizeMode'],
    });
    expect(validateNewProducts(catalog, [wanted(phoneCase.id, { resizeMode: 'cover' })])[0]).toMatchObject({
      resizeMode: 'cover',
    });
  });

  it('rejects a print place that the item or the variant lacks', () => {
    const code = 'print-place.not-of-item';
    const paths = ['body.products.0.sub_materials.0.printSide'];
    expect(rejectionOf(wanted(mug.id, { sub_materials: [print('back')] }))).toMatchObject({ code, paths });
    const left = { exemplaryItemVariantId: 12, sub_materials: [print('left')] };
    expect(rejectionOf(wanted(shirt.id, left))).toMatchObject({ code, paths });
  });

  it('rejects a duplicate print place, and the default one', () => {
    const code = 'print-place.not-of-item';
    const twice = wanted(shirt.id, { sub_materials: [print('back'), print('back', false)] });
    expect(rejectionOf(twice)).toMatchObject({ code, paths: ['body.products.0.sub_materials.1.printSide'] });
    const front = wanted(shirt.id, { sub_materials: [print('front')] });
    expect(rejectionOf(front)).toMatchObject({
      code,
      detail: "body.products.0.sub_materials.0.printSide: front is the default place, which has the material's image",
    });
  });

  it('reports all errors at once', () => {
    const invalid = wanted(mug.id, { exemplaryItemVariantId: 11, resizeMode: 'cover', sub_materials: [print('back')] });
    expect(rejectionOf(invalid, wanted(999))).toEqual({
      code: 'resize-mode.not-allowed',
      detail: 'body.products.0.resizeMode: mug does not allow cover',
      paths: [
        'body.products.0.resizeMode',
        'body.products.0.exemplaryItemVariantId',
        'body.products.0.sub_materials.0.printSide',
        'body.products.1.itemId',
      ],
    });
  });

  it('returns placements with their defaults, and the path of each wrong number', () => {
    const front = { scale: 0.5, rotation: 15 };
    const back = { ...print('back'), placement: { offsetX: 0.1 } };
    const [product] = validateNewProducts(catalog, [wanted(shirt.id, { placement: front, sub_materials: [back] })]);
    expect(product!.placement).toMatchObject({
      placement: { scale: 0.5, x: 0, y: 0, rotation: 15, repeat: 'none', spacing: 0 },
    });
    expect(product!.prints[0]!.placement).toMatchObject({ placement: { x: 0.1 } });
    const wrong = { ...print('back'), placement: { spacing: -1 } };
    expect(
      rejectionOf(wanted(shirt.id, { placement: { scale: 'NaN', offsetX: 1e300 }, sub_materials: [wrong] })),
    ).toEqual({
      code: 'placement.invalid',
      paths: [
        'body.products.0.placement.scale',
        'body.products.0.placement.offsetX',
        'body.products.0.sub_materials.0.placement.spacing',
      ],
      detail: 'body.products.0.placement.scale: must be a number from 0.01 to 100',
    });
  });
});
