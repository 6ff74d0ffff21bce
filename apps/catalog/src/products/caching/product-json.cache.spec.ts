import { ProductResponse } from '#contracts';
import { completePlacement, placeArtwork } from '#placement';
import { RunningSales } from '../../sales/sale.rules.js';
import { catalog, productRow, settings, shirt } from '../../testing/catalog-fixture.js';
import { type ProductRow } from '../product.json.js';
import { type ProductContext } from '../context.snapshot.js';
import { ProductJsonCache } from './product-json.cache.js';

const context: ProductContext = { catalog, sales: new RunningSales([]), nameLanguage: 'ja' };
const discount = { kind: 'percent', percent: 10 } as const;
const onSale: ProductContext = {
  catalog,
  sales: new RunningSales([{ id: 1, itemId: 1, userId: null, productId: null, discount } as never]),
  nameLanguage: 'ja',
};
const texture = 'a'.repeat(64);
const prints = (enabled: boolean) => [{ place: 'back', enabled, textureHash: texture }];

const shifted = completePlacement({ x: 0.1 });
const fitted = { artwork: { width: 1, height: 1 }, area: { width: 1, height: 1 }, mode: 'contain' } as const;

/** A different value for each column of the JSON. */
const changes: { readonly [Column in Exclude<keyof ProductRow, 'animated'>]: ProductRow[Column] } = {
  id: 8,
  itemId: 3,
  variantId: 12,
  published: false,
  publishedAt: null,
  createdAt: new Date('2026-11-20T09:00:04Z'),
  updatedAt: new Date('2026-11-20T09:00:05Z'),
  resizeMode: 'cover',
  placement: { ...shifted, ...placeArtwork(fitted, shifted) },
  prints: prints(true),
  imageRevision: 1,
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

const bodyOf = (products: ProductJsonCache, rows: readonly ProductRow[], rowContext = context): string =>
  products.page(rows, null, rowContext).body.toString();
const uncached = (rows: readonly ProductRow[], rowContext = context): string =>
  bodyOf(new ProductJsonCache(settings), rows, rowContext);

/**
 * Returns a context, and a function that returns how often JSON was built with the context: each
 * build reads the item once.
 */
function countingContext() {
  let builds = 0;
  const item = (id: number) => {
    builds += 1;
    return catalog.item(id);
  };
  return { counting: { ...context, catalog: { ...catalog, item } }, builds: () => builds };
}

describe('ProductJsonCache', () => {
  it.each(Object.keys(changes) as (keyof typeof changes)[])('rebuilds the JSON when %s has changed', (column) => {
    const products = new ProductJsonCache(settings);
    const before = bodyOf(products, [productRow]);
    const changed = { ...productRow, [column]: changes[column] };
    const after = bodyOf(products, [changed]);
    expect(after).not.toBe(before);
    expect(after).toBe(uncached([changed]));
    expect(bodyOf(products, [productRow])).toBe(before);
  });

  it('rebuilds the JSON when a nested value has changed', () => {
    const products = new ProductJsonCache(settings);
    const withPrint = bodyOf(products, [{ ...productRow, prints: prints(true) }]);
    const withoutPrint = bodyOf(products, [{ ...productRow, prints: prints(false) }]);
    expect(withoutPrint).not.toBe(withPrint);
    expect(withoutPrint).toBe(uncached([{ ...productRow, prints: prints(false) }]));
  });

  it('returns cached JSON of unchanged rows, whatever the data version', () => {
    const products = new ProductJsonCache(settings);
    const { counting, builds } = countingContext();
    const rows = (version: string) =>
      [11, 12].map((variantId) => {
        const { createdAt, updatedAt, uploadedAt } = productRow;
        const dates = {
          createdAt: new Date(createdAt),
          updatedAt: new Date(updatedAt),
          uploadedAt: new Date(uploadedAt),
        };
        return { ...productRow, ...dates, prints: prints(true), variantId, version };
      });
    const first = bodyOf(products, rows('1'), counting);
    expect(bodyOf(products, rows('2'), counting)).toBe(first);
    expect(builds()).toBe(2);
  });

  it('rebuilds the JSON when a sale starts and ends', () => {
    const products = new ProductJsonCache(settings);
    const before = bodyOf(products, [productRow]);
    expect(bodyOf(products, [productRow], onSale)).toBe(uncached([productRow], onSale));
    expect(bodyOf(products, [productRow], onSale)).not.toBe(before);
    expect(bodyOf(products, [productRow])).toBe(before);
  });

  it('caches the JSON of each language', () => {
    const products = new ProductJsonCache(settings);
    const english = { ...catalog, item: () => ({ ...shirt, humanizeName: 'T-shirt' }) };
    const both = { ...context, catalog: { ...catalog, in: (it = 'ja') => (it === 'en' ? english : catalog) } };
    const titleIn = (nameLanguage: 'en' | 'ja') =>
      JSON.parse(bodyOf(products, [productRow], { ...both, nameLanguage })).products[0].title;
    for (let times = 0; times < 2; times++)
      expect([titleIn('ja'), titleIn('en')]).toEqual(
        [shirt.humanizeName, 'T-shirt'].map((name) => `${productRow.materialTitle} ${name}`),
      );
  });

  it('includes all variants of the item in a single product', () => {
    const products = new ProductJsonCache(settings);
    const { product } = ProductResponse.parse(JSON.parse(products.product(productRow, context).body.toString()));
    expect(product.itemVariants).toHaveLength(shirt.variants.length);
    expect(product.title).toContain(productRow.materialTitle);
  });

  it('evicts products over its limit', () => {
    const products = new ProductJsonCache(settings);
    const { counting, builds } = countingContext();
    const many = Array.from({ length: 6_000 }, (_, id) => ({ ...productRow, id }));
    bodyOf(products, many, counting);
    bodyOf(products, many.slice(-100), counting);
    expect(builds()).toBe(6_000);
    bodyOf(products, many.slice(0, 100), counting);
    expect(builds()).toBe(6_100);
  });
});
