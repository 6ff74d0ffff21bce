import {
  catalogStack,
  type CatalogStack,
  createMaterial,
  mug,
  shirt,
  wantedProduct,
} from '../testing/catalog-stack.js';
import { SitemapQueries } from './sitemap.queries.js';

let stack: CatalogStack;
let sitemaps: SitemapQueries;

/**
 * Creates a material with a public product for each item. The ids of the products start at
 * `firstId`.
 */
async function createProducts(userId: number, firstId: number, itemIds: readonly number[]) {
  await stack.database.query(`select setval(pg_get_serial_sequence('products', 'id'), $1, false)`, [firstId]);
  return createMaterial(stack, userId, { products: itemIds.map((itemId) => wantedProduct(itemId)) });
}
const setPublished = (productId: number, published: boolean) =>
  stack.database.query('update products set published = $2 where id = $1', [productId, published]);

beforeEach(async () => {
  stack = await catalogStack();
  sitemaps = new SitemapQueries(stack.database, stack.catalog);
});
afterEach(() => stack.close());

describe('the sitemaps', () => {
  it('are none without products', async () => {
    expect(await sitemaps.list()).toEqual({ sitemaps: [] });
    expect(await sitemaps.get(1)).toEqual({ creators: [], products: [] });
  });

  it('have a thousand product ids each; those without public products are not listed', async () => {
    await createProducts(stack.hanako, 999, [shirt, mug]);
    await createProducts(stack.taro, 1_001, [mug]);
    await createProducts(stack.taro, 5_432_100, [shirt]);
    expect(await sitemaps.list()).toEqual({ sitemaps: [1, 2, 5_433] });
    await setPublished(1_001, false);
    expect(await sitemaps.list()).toEqual({ sitemaps: [1, 5_433] });
    const counts = await Promise.all([1, 2, 3, 5_433].map(async (n) => (await sitemaps.get(n)).products.length));
    expect(counts).toEqual([2, 0, 0, 1]);
  });

  it('name the page of each product in its representative variant', async () => {
    const { material } = await createProducts(stack.hanako, 1, [mug]);
    const [row] = await stack.database.query<{ updated: Date }>('select updated_at as updated from products');
    const { products } = await sitemaps.get(1);
    expect(products).toEqual([
      {
        userName: 'Hanako-1',
        materialId: material.id,
        itemName: 'mug',
        variant: { size: 'm', color: 'white' },
        updatedAt: row!.updated.toISOString(),
      },
    ]);
  });

  it('name each creator in the sitemap of the oldest public product', async () => {
    await createProducts(stack.hanako, 1, [shirt]);
    await createProducts(stack.taro, 2, [shirt, mug]);
    await createProducts(stack.hanako, 1_001, [shirt]);
    const creators = async () => [(await sitemaps.get(1)).creators, (await sitemaps.get(2)).creators];
    expect(await creators()).toEqual([['Hanako-1', 'taro'], []]);
    await setPublished(1, false);
    expect(await creators()).toEqual([['taro'], ['Hanako-1']]);
  });
});
