import pg from 'pg';
import { ProductListResponse } from '#contracts';
import type { RawReply } from '#request-queue';
import {
  bodyOf,
  catalogStack,
  type CatalogStack,
  createMaterial,
  mug,
  phoneCase,
  shirt,
  wantedProduct,
} from '../testing/catalog-stack.js';

let stack: CatalogStack;
let owner: pg.Client;

const products = [shirt, mug, phoneCase].map((itemId) => wantedProduct(itemId));
const noFilters = { itemId: undefined, userId: undefined, userName: undefined, materialId: undefined };

/** Creates 24 products of hanako, then 30 and a draft of taro; all are in a sale. */
beforeAll(async () => {
  stack = await catalogStack();
  owner = new pg.Client(stack.ownerUrl);
  await owner.connect();
  for (let n = 0; n < 8; n++) await createMaterial(stack, stack.hanako, { products });
  for (let n = 0; n < 10; n++) await createMaterial(stack, stack.taro, { products });
  await createMaterial(stack, stack.taro, { products: [wantedProduct(shirt, { published: false })] });
  const discount = { kind: 'percent', percent: 10 } as const;
  for (const userName of ['Hanako-1', 'taro'])
    await stack.sales.create({ name: 'User', target: { kind: 'user', userName }, discount });
  await stack.sales.create({ name: 'Item', target: { kind: 'item', itemId: mug }, discount });
});
afterAll(async () => {
  await owner.end();
  await stack.close();
});

interface Page {
  readonly viewerId: number;
  readonly limit: number;
  readonly offset: number;
}

const lists: readonly (readonly [string, number, (page: Page) => Promise<RawReply>])[] = [
  ['product list', 24, (page) => stack.products.list({ ...page, ...noFilters })],
  ['product list of an item', 8, (page) => stack.products.list({ ...page, ...noFilters, itemId: mug })],
  ['product list of a deleted user', 0, (page) => stack.products.list({ ...page, ...noFilters, userId: stack.taro })],
  ['search among the newest products', 24, (page) => stack.products.search({ ...page, q: 'light', itemId: undefined })],
  ['search without a word', 24, (page) => stack.products.search({ ...page, q: ' ', itemId: undefined })],
  ['search with an item', 8, (page) => stack.products.search({ ...page, q: 'light', itemId: mug })],
  ['products on sale', 24, (page) => stack.products.onSale(page)],
];

const idsOf = async (read: (page: Page) => Promise<RawReply>, page: Page) => {
  const { products: shown, meta } = ProductListResponse.parse(bodyOf(await read(page)));
  return { ids: shown.map(({ id }) => id), users: new Set(shown.map(({ material }) => material.user.name)), ...meta };
};

it('hides the products of a deleted user before the event of the deletion is consumed', async () => {
  const otherUserPage = { viewerId: stack.jiro, limit: 7, offset: 0 };
  // Fills the caches with taro's products
  for (const [, , read] of lists) expect((await idsOf(read, otherUserPage)).users).toContain('taro');
  await owner.query('begin');
  await owner.query('delete from accounts.users where id = $1', [stack.taro]);
  for (const [, , read] of lists) expect((await idsOf(read, otherUserPage)).users).toContain('taro');
  await owner.query('commit');
  expect(await stack.database.query('select from products where user_id = $1', [stack.taro])).toHaveLength(31);

  for (const viewerId of [stack.jiro, stack.taro])
    for (const [list, total, read] of lists) {
      const seen: number[] = [];
      for (let offset = 0; offset <= total; offset += 7) {
        const { ids, hasNext } = await idsOf(read, { viewerId, limit: 7, offset });
        const expected = Math.min(7, total - offset);
        expect({ list, offset, shown: ids.length, hasNext }).toEqual({
          list,
          offset,
          shown: expected,
          hasNext: offset + expected < total,
        });
        seen.push(...ids);
      }
      expect(new Set(seen).size).toBe(total);
    }
});
