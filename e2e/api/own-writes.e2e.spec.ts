import type { Product } from '#contracts';
import { violate } from '../support/back-office.js';
import { api, itemsByName, newMaterial, newUsers, type User } from '../support/shop.js';

// Two replicas of catalog cache responses, and the gateway caches replies. A read that starts after
// the response to a write must return the write

let [creator, visitor]: User[] = [];
let mugItemId: number;

beforeAll(async () => {
  [creator, visitor] = await newUsers(2);
  mugItemId = (await itemsByName(creator!.apiKey))['mug'].id;
});

const listPaths = (productId: number, title: string): string[] => [
  '/products?limit=50',
  `/products?userName=${creator!.name}`,
  `/products?userId=${creator!.id}`,
  `/products?itemId=${mugItemId}`,
  `/products/search?q=${title}`,
  `/products/${productId}`,
];

/**
 * Returns a product as each list shows it to a user, or `undefined` where the product is missing.
 * Each list is requested twice.
 */
async function shownInLists({ apiKey: token }: User, productId: number, title: string): Promise<unknown[]> {
  const paths = listPaths(productId, title).flatMap((path) => [path, path]);
  return Promise.all(
    paths.map(async (path) => {
      const { body } = await api('GET', path, { token, headers: { 'accept-encoding': 'br, gzip' } });
      const found = [body.products ?? []].flat().find(({ id }: Product) => id === productId);
      return found && `${found.published} ${found.material.title} ${found.material.user.displayName}`;
    }),
  );
}

const everywhere = (what: string | undefined): (string | undefined)[] => Array.from({ length: 12 }, () => what);

it('shows a write to all readers from its response on, and drafts to their creator only', async () => {
  const title = `Beacon${creator!.id}`;
  const products = (published: boolean) => [{ itemId: mugItemId, published }];
  const { material, products: made } = await newMaterial(creator!, { title, products: products(true) });
  const id = made[0].id as number;
  const name = made[0].material.user.displayName as string | null;
  // The users alternate, because a cached response for one must not be returned to the other
  const seen = async () => {
    const responses = [];
    for (const user of [visitor!, creator!, visitor!]) responses.push(await shownInLists(user, id, title));
    return responses;
  };
  const forAll = (what: string | undefined) => [everywhere(what), everywhere(what), everywhere(what)];
  const forCreator = (what: string) => [everywhere(undefined), everywhere(what), everywhere(undefined)];
  expect(await seen()).toEqual(forAll(`true ${title} ${name}`));

  const change = async (body: object) => {
    const { status } = await api('PUT', `/materials/${material.id}`, { token: creator!.apiKey, body });
    expect(status).toBe(200);
  };
  for (let turn = 0; turn < 3; turn++) {
    await change({ products: products(false) });
    expect(await seen()).toEqual(forCreator(`false ${title} ${name}`));
    await change({ products: products(true) });
    expect(await seen()).toEqual(forAll(`true ${title} ${name}`));
  }

  const body = { displayName: 'Keeper' };
  expect((await api('PUT', '/user', { token: creator!.apiKey, body })).status).toBe(200);
  expect(await seen()).toEqual(forAll(`true ${title} Keeper`));

  await violate(material.id);
  expect(await seen()).toEqual(forCreator(`true ${title} Keeper`));

  expect((await api('DELETE', `/materials/${material.id}`, { token: creator!.apiKey })).status).toBeLessThan(300);
  expect(await seen()).toEqual(forAll(undefined));
}, 120_000);
