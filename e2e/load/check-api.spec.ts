import { Api } from './api.js';
import { checkFavorites, existingFavorites } from './check-favorites.js';
import { checkLists, checkSingles } from './check-materials.js';
import { LoadLedger } from './ledger.js';
import type { ProductRecord } from './load.js';
import { Notes } from './notes.js';
import { FakeGateway, type Reply } from './testing/fake-gateway.js';

const user = { id: 1, name: 'user-1', apiKey: 'key' };
const product = (id: number): ProductRecord => ({
  id,
  itemId: 10,
  published: true,
  resizeMode: 'cover',
  sampleImageUrl: `http://shop.test/images/${id}`,
});

/** Content of the responses of the fake gateway, reset before each test. */
let shown: { id: number; title: string; products: number[] }[];
let favorites: { productId: number; count: number }[];
let images: Set<number>;
/** Fields that replace those of a product in its response. */
let looks: Partial<ProductRecord>;
let gateway: FakeGateway;
let api: Api;
let ledger: LoadLedger;

const page = (name: string, entries: object[]): Reply => ({
  status: 200,
  body: { [name]: entries, meta: { hasNext: false } },
});
const missing: Reply = { status: 404, body: {} };
const productsShown = () =>
  shown.flatMap(({ id, products }) => products.map((each) => ({ id: each, material: { id } })));

function respond(path: string): Reply {
  const id = Number(/(?<!\d)\d+$/.exec(path)?.[0]);
  if (path.startsWith('/api/v1/materials?')) return page('materials', shown);
  if (path.startsWith('/api/v1/products?')) return page('products', productsShown());
  if (path.startsWith('/api/v1/users/'))
    return page(
      'favorites',
      favorites.map(({ productId, count }) => ({ count, product: { id: productId } })),
    );
  if (path.startsWith('/images/'))
    return images.has(id) ? { status: 200, headers: { 'content-type': 'image/webp' } } : missing;
  if (path.startsWith('/api/v1/products/'))
    return productsShown().some((it) => it.id === id)
      ? { status: 200, body: { product: { ...product(id), ...looks } } }
      : missing;
  const material = shown.find((it) => it.id === id);
  if (!material) return missing;
  return { status: 200, body: { material, products: material.products.map((each) => ({ id: each })) } };
}

async function found() {
  const notes = new Notes();
  await checkLists(api, ledger, user, notes);
  await checkSingles(api, [...ledger.materials.values()], user, notes);
  await checkFavorites(api, existingFavorites(ledger), user, notes);
  return notes.findings(0);
}
const none = { lost: [], duplicated: [], wrong: [], settledMs: 0 };

beforeAll(async () => {
  gateway = await FakeGateway.start();
  gateway.respond = ({ request }) => respond(request.slice('GET '.length));
  api = new Api([gateway.url]);
});
afterAll(async () => {
  await api.close();
  await gateway.close();
});
beforeEach(() => {
  ledger = new LoadLedger([user]);
  for (const id of [3, 4]) ledger.made(1, `Gull ${id}`, { id, title: `Gull ${id}`, products: [product(id * 10)] });
  ledger.deleted(4);
  ledger.placing({ userId: 1, productId: 30, ownerId: 1 }, 2);
  ledger.placed('1/30', new Set([0]), 2, { count: 2, totalCount: 2 });
  shown = [{ id: 3, title: 'Gull 3', products: [30] }];
  favorites = [{ productId: 30, count: 2 }];
  images = new Set([30]);
  looks = {};
});

it('reports nothing if all acknowledged writes are visible', async () => {
  expect(await found()).toEqual(none);
});

it('reports a missing material', async () => {
  shown = [];
  expect((await found()).lost).toEqual([
    'material 3 was created and is not in the list',
    'product 30 of material 3 is not in the list',
    'material 3 was created and returns 404',
  ]);
});

it('reports a deleted material that is still visible, with its product and image', async () => {
  shown.push({ id: 4, title: 'Gull 4', products: [40] });
  images.add(40);
  const { lost, wrong } = await found();
  expect(lost).toEqual([
    'material 4 was deleted and is in the list',
    'product 40 of the deleted material 4 is in the list',
    'material 4 was deleted and returns 200',
    'product 40 of the deleted material 4 returns 200',
  ]);
  expect(wrong).toEqual(['the image of the deleted product 40 returns 200']);
});

it('reports a duplicated material', async () => {
  shown.push({ id: 5, title: 'Gull 3', products: [] });
  expect((await found()).duplicated).toEqual(['material 5 "Gull 3" is in the list without a response to its creation']);
});

it('accepts a material whose creation got no response', async () => {
  ledger.making(1, 'Tide');
  shown.push({ id: 5, title: 'Tide', products: [] });
  expect(await found()).toEqual(none);
});

it('reports two materials for one creation without a response', async () => {
  ledger.making(1, 'Tide');
  shown.push({ id: 5, title: 'Tide', products: [] }, { id: 6, title: 'Tide', products: [] });
  expect((await found()).duplicated).toEqual(['material 6 "Tide" is in the list without a response to its creation']);
});

it('reports a title other than the last acknowledged one, and accepts that of a change without a response', async () => {
  shown[0]!.title = 'Tide';
  expect((await found()).lost).toEqual([
    'material 3 must be called "Gull 3" and is called "Tide"',
    'material 3 must be called "Gull 3" and is called "Tide"',
  ]);
  ledger.retitling(3, 'Tide');
  expect(await found()).toEqual(none);
});

it('reports an unrequested product, and a product listed twice', async () => {
  shown[0]!.products = [30, 31, 30];
  expect(await found()).toMatchObject({
    duplicated: ['product 30 is in the list 2 times', 'product 31 of material 3 was never returned'],
    wrong: ['material 3 must have the products 30 and has 30,30,31'],
  });
});

it('reports a resize mode other than acknowledged, and accepts that of a change without a response', async () => {
  looks = { resizeMode: 'contain', sampleImageUrl: 'http://shop.test/images/30?v=1' };
  expect((await found()).lost).toEqual(['product 30 must be cover and is contain']);
  ledger.redrawing(3, { productId: 30, resizeMode: 'contain' });
  expect(await found()).toEqual(none);
});

it('reports an image URL other than acknowledged', async () => {
  looks = { sampleImageUrl: 'http://shop.test/images/30?v=1' };
  expect((await found()).lost).toEqual([
    'the image of product 30 must be at http://shop.test/images/30 and is at http://shop.test/images/30?v=1',
  ]);
});

it('reports a missing image', async () => {
  images.clear();
  expect((await found()).wrong).toEqual(['the image of product 30 returns 404, application/json']);
});

it.each([
  ['lost', 1, { lost: ['the favorite of user 1 on product 30 must count 2 and counts 1'] }],
  ['placed twice', 4, { duplicated: ['the favorite of user 1 on product 30 must count 2 and counts 4'] }],
])('reports a favorite that was %s', async (_, count, expected) => {
  favorites = [{ productId: 30, count }];
  expect(await found()).toMatchObject(expected);
});

it('reports a favorite that was never placed', async () => {
  favorites.push({ productId: 31, count: 1 });
  expect((await found()).duplicated).toEqual(['user 1 has a favorite of product 31, 1 times, that was never placed']);
});
