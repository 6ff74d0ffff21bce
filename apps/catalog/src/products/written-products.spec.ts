import { ProductResponse } from '#contracts';
import { RunningSales } from '../sales/sale.rules.js';
import { catalog, productRow, settings, shirt } from '../testing/catalog-fixture.js';
import { type ProductRow } from './product.json.js';
import { type Shop } from './shop.js';
import { WrittenProducts } from './written-products.js';

const shop: Shop = { catalog, sales: new RunningSales([]) };
const discount = { kind: 'percent', percent: 10 } as const;
const onSale: Shop = {
  catalog,
  sales: new RunningSales([{ id: 1, itemId: 1, userId: null, productId: null, discount } as never]),
};
const texture = 'a'.repeat(64);
const prints = (enabled: boolean) => [{ place: 'back', enabled, textureHash: texture }];

/** Another value for each column. */
const changes: { readonly [Column in keyof ProductRow]: ProductRow[Column] } = {
  id: 8,
  itemId: 3,
  variantId: 12,
  published: false,
  publishedAt: null,
  createdAt: new Date('2026-11-20T09:00:04Z'),
  updatedAt: new Date('2026-11-20T09:00:05Z'),
  resizeMode: 'cover',
  prints: prints(true),
  pictureRevision: 1,
  materialId: 13,
  materialTitle: 'another',
  description: 'of a cat',
  materialPrice: 400,
  violation: true,
  materialPublished: false,
  materialPublishedAt: null,
  uploadedAt: new Date('2025-11-20T09:00:01Z'),
  textureFormat: 'png',
  dominantRgb: null,
  originalWidth: 2001,
  originalHeight: 1001,
  userId: 4,
  userName: 'taro',
  userDisplayName: null,
  userAvatarUrl: 'https://example.com/taro.png',
};

const bodyOf = (products: WrittenProducts, rows: readonly ProductRow[], its = shop): string =>
  products.page(rows, null, its).body.toString();
const anew = (rows: readonly ProductRow[], its = shop): string => bodyOf(new WrittenProducts(settings), rows, its);

/** A shop, and how often a product was written with it: whoever writes one asks for its item. */
function countingShop() {
  let written = 0;
  const item = (id: number) => {
    written += 1;
    return catalog.item(id);
  };
  return { counting: { ...shop, catalog: { ...catalog, item } }, written: () => written };
}

describe('products that are written', () => {
  it.each(Object.keys(changes) as (keyof ProductRow)[])('are written anew when %s has changed', (column) => {
    const products = new WrittenProducts(settings);
    const before = bodyOf(products, [productRow]);
    const changed = { ...productRow, [column]: changes[column] };
    const after = bodyOf(products, [changed]);
    expect(after).not.toBe(before);
    expect(after).toBe(anew([changed]));
    expect(bodyOf(products, [productRow])).toBe(before);
  });

  it('are written anew when a part of a column has changed', () => {
    const products = new WrittenProducts(settings);
    const dear = bodyOf(products, [{ ...productRow, prints: prints(true) }]);
    const cheap = bodyOf(products, [{ ...productRow, prints: prints(false) }]);
    expect(cheap).not.toBe(dear);
    expect(cheap).toBe(anew([{ ...productRow, prints: prints(false) }]));
  });

  it('are copied when they were read once more and nothing has changed but what else is in the database', () => {
    const products = new WrittenProducts(settings);
    const { counting, written } = countingShop();
    const rows = (mark: string) =>
      [11, 12].map((variantId) => {
        const { createdAt, updatedAt, uploadedAt } = productRow;
        const dates = {
          createdAt: new Date(createdAt),
          updatedAt: new Date(updatedAt),
          uploadedAt: new Date(uploadedAt),
        };
        return { ...productRow, ...dates, prints: prints(true), variantId, mark };
      });
    const first = bodyOf(products, rows('1'), counting);
    expect(bodyOf(products, rows('2'), counting)).toBe(first);
    expect(written()).toBe(2);
  });

  it('have the prices of the sale that has just begun, and those of before when it has ended', () => {
    const products = new WrittenProducts(settings);
    const before = bodyOf(products, [productRow]);
    expect(bodyOf(products, [productRow], onSale)).toBe(anew([productRow], onSale));
    expect(bodyOf(products, [productRow], onSale)).not.toBe(before);
    expect(bodyOf(products, [productRow])).toBe(before);
  });

  it('are answered alone with all variants of their item', () => {
    const products = new WrittenProducts(settings);
    const { product } = ProductResponse.parse(JSON.parse(products.product(productRow, shop).body.toString()));
    expect(product.itemVariants).toHaveLength(shirt.variants.length);
    expect(product.title).toContain(productRow.materialTitle);
  });

  it('are remembered within a limit', () => {
    const products = new WrittenProducts(settings);
    const { counting, written } = countingShop();
    const many = Array.from({ length: 6_000 }, (_, id) => ({ ...productRow, id }));
    bodyOf(products, many, counting);
    bodyOf(products, many.slice(-100), counting);
    expect(written()).toBe(6_000);
    bodyOf(products, many.slice(0, 100), counting);
    expect(written()).toBe(6_100);
  });
});
