import { DomainError } from '#kernel';
import { catalog, embroideredCap, mug, phoneCase, retiredSocks, shirt } from '../testing/catalog-fixture.js';
import { newProducts, type WantedProduct } from './new-product.rules.js';

const texture = { kind: 'url', url: 'https://example.com/back.png' } as const;
const wanted = (itemId: number, more: Partial<WantedProduct> = {}): WantedProduct => ({
  itemId,
  published: false,
  sub_materials: [],
  ...more,
});
const side = (printSide: string, enabled = true) => ({ texture, printSide, enabled });

function refusal(...products: WantedProduct[]): { code: string; paths: string[]; detail: string } {
  try {
    newProducts(catalog, products);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.status).toBe(422);
    return { code: error.kind.code, paths: (error.errors ?? []).map(({ path }) => path), detail: error.detail };
  }
  throw new Error('nothing was refused');
}

describe('new products', () => {
  it('take the exemplary variant of the item when none is named', () => {
    expect(newProducts(catalog, [wanted(shirt.id, { published: true })])).toEqual([
      { itemId: 1, exemplaryVariantId: 11, published: true, resizeMode: null, prints: [] },
    ]);
  });

  it('keep the variant, the resize mode and the further sides that were sent', () => {
    const [product] = newProducts(catalog, [
      wanted(shirt.id, { exemplaryItemVariantId: 12, resizeMode: 'contain', sub_materials: [side('back', false)] }),
    ]);
    expect(product).toMatchObject({ exemplaryVariantId: 12, resizeMode: 'contain' });
    expect(product!.prints).toEqual([
      { path: 'body.products.0.sub_materials.0.texture', place: 'back', source: texture, enabled: false },
    ]);
  });

  it('refuse an item that does not exist or has left the catalogue', () => {
    for (const id of [999, retiredSocks.id]) {
      expect(refusal(wanted(shirt.id), wanted(id))).toMatchObject({
        code: 'item.not-found',
        paths: ['body.products.1.itemId'],
      });
    }
  });

  it('are of the item of their variant when they name no item', () => {
    const byVariant = (id: number) => wanted(shirt.id, { itemId: undefined, exemplaryItemVariantId: id });
    expect(newProducts(catalog, [byVariant(12)])).toMatchObject([{ itemId: 1, exemplaryVariantId: 12 }]);
    const paths = ['body.products.0.exemplaryItemVariantId'];
    expect(refusal(byVariant(999))).toMatchObject({ code: 'item-variant.not-of-item', paths });
    expect(refusal(byVariant(61))).toMatchObject({ code: 'item.not-found', paths });
    expect(refusal(byVariant(13))).toMatchObject({ code: 'item-variant.disabled', paths });
    expect(refusal(wanted(shirt.id), byVariant(11))).toMatchObject({
      code: 'product.duplicate-item',
      paths: ['body.products.1.exemplaryItemVariantId'],
    });
    expect(refusal(wanted(shirt.id, { itemId: undefined }))).toMatchObject({
      detail: 'body.products.0.itemId: is missing',
    });
  });

  it('refuse embroidery', () => {
    expect(refusal(wanted(embroideredCap.id))).toMatchObject({
      code: 'item.embroidery',
      paths: ['body.products.0.itemId'],
    });
  });

  it('refuse the same item twice', () => {
    expect(refusal(wanted(mug.id), wanted(shirt.id), wanted(mug.id))).toMatchObject({
      code: 'product.duplicate-item',
      paths: ['body.products.2.itemId'],
    });
  });

  it('refuse the variant of another item, an unknown one and a disabled one', () => {
    const path = ['body.products.0.exemplaryItemVariantId'];
    const of = (id: number) => refusal(wanted(shirt.id, { exemplaryItemVariantId: id }));
    expect(of(31)).toMatchObject({ code: 'item-variant.not-of-item', paths: path });
    expect(of(999)).toMatchObject({ code: 'item-variant.not-of-item', paths: path });
    expect(of(13)).toMatchObject({ code: 'item-variant.disabled', paths: path });
  });

  it('refuse cover on a mug and take it on a phone case', () => {
    expect(refusal(wanted(mug.id, { resizeMode: 'cover' }))).toMatchObject({
      code: 'resize-mode.not-allowed',
      paths: ['body.products.0.resizeMode'],
    });
    expect(newProducts(catalog, [wanted(phoneCase.id, { resizeMode: 'cover' })])[0]).toMatchObject({
      resizeMode: 'cover',
    });
  });

  it('refuse a side that the item or the chosen variant cannot have printed', () => {
    const code = 'print-place.not-of-item';
    const paths = ['body.products.0.sub_materials.0.printSide'];
    expect(refusal(wanted(mug.id, { sub_materials: [side('back')] }))).toMatchObject({ code, paths });
    const left = { exemplaryItemVariantId: 12, sub_materials: [side('left')] };
    expect(refusal(wanted(shirt.id, left))).toMatchObject({ code, paths });
  });

  it('refuse a side twice, and the default side, which carries the material', () => {
    const code = 'print-place.not-of-item';
    const twice = wanted(shirt.id, { sub_materials: [side('back'), side('back', false)] });
    expect(refusal(twice)).toMatchObject({ code, paths: ['body.products.0.sub_materials.1.printSide'] });
    const front = wanted(shirt.id, { sub_materials: [side('front')] });
    expect(refusal(front)).toMatchObject({
      code,
      detail: 'body.products.0.sub_materials.0.printSide: front carries the material itself',
    });
  });

  it('say everything that is wrong at once', () => {
    const broken = wanted(mug.id, { exemplaryItemVariantId: 11, resizeMode: 'cover', sub_materials: [side('back')] });
    expect(refusal(broken, wanted(999))).toEqual({
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
});
