import { createSale } from '../support/back-office.js';
import {
  allPages,
  type ApiResponse,
  api,
  itemsByName,
  newMaterial,
  newUsers,
  nextPage,
  type User,
} from '../support/shop.js';

/** Values of filters by parameter name. */
type Filters = Readonly<Record<string, string | number>>;

function subsetsOf(filters: Filters): Filters[] {
  const entries = Object.entries(filters);
  return Array.from({ length: 2 ** entries.length }, (_, bits) =>
    Object.fromEntries(entries.filter((_, index) => (bits >> index) & 1)),
  );
}

const queryOf = (filters: Filters): string =>
  Object.entries(filters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

const idsOf = (list: string, { body }: ApiResponse): number[] => body[list].map((it: any) => it.id);

let creator: User;
let second: User;
let viewer: User;
let items: Record<string, any>;
/** Visible products, newest last. */
let products: { id: number; itemId: number; userId: number; userName: string; materialId: number; title: string }[];
/** Id of an unpublished product of the creator. */
let unpublished: number;

beforeAll(async () => {
  [creator, second, viewer] = (await newUsers(3)) as [User, User, User];
  items = await itemsByName(viewer.apiKey);
  const of = (...names: string[]) => names.map((name) => ({ itemId: items[name].id, published: true }));
  const plan: [User, string, string[]][] = [
    [creator, 'Whale', ['can-badge', 'sticker', 'note']],
    [creator, 'Heron', ['can-badge', 'sticker']],
    [second, 'Whale', ['can-badge', 'note']],
  ];
  products = [];
  for (const [user, title, names] of plan) {
    const made = await newMaterial(user, { title, products: of(...names) });
    const rows = made.products.map((it: any) => ({
      id: it.id,
      itemId: it.item.id,
      userId: user.id,
      userName: user.name,
      materialId: made.material.id,
      title: it.title,
    }));
    products.push(...rows.sort((a: any, b: any) => a.id - b.id));
  }
  const hidden = await newMaterial(creator, { title: 'Whale', products: [{ itemId: items['can-badge'].id }] });
  unpublished = hidden.products[0].id;
});

describe('products', () => {
  it('are filtered by itemId, userId, userName and materialId in every combination', async () => {
    for (const row of [products[0]!, products[4]!, products[6]!]) {
      const { itemId, userId, userName, materialId } = row;
      for (const filters of subsetsOf({ itemId, userId, userName, materialId })) {
        // Without one of these filters the list includes products of other tests
        if (!['userId', 'userName', 'materialId'].some((name) => name in filters)) continue;
        const response = await api('GET', `/products?limit=50&${queryOf(filters)}`, { token: viewer.apiKey });
        const expected = products.filter((it: any) =>
          Object.entries(filters).every(([name, value]) => it[name] === value),
        );
        expect([filters, idsOf('products', response)]).toEqual([filters, expected.map(({ id }) => id).reverse()]);
      }
    }
  });

  it('are filtered by itemId alone', async () => {
    const { id } = items['note'];
    const { body } = await api('GET', `/products?itemId=${id}&limit=50`, { token: viewer.apiKey });
    expect(body.products.length).toBeGreaterThanOrEqual(2);
    expect(new Set(body.products.map((it: any) => it.item.id))).toEqual(new Set([id]));
  });

  it('that do not match every filter are not listed', async () => {
    const { apiKey: token } = viewer;
    for (const query of [
      `userId=${creator.id}&userName=${second.name}`,
      `userId=${second.id}&materialId=${products[0]!.materialId}`,
      `itemId=${items['mug'].id}&materialId=${products[0]!.materialId}`,
      'userId=999999999',
      'userName=no-such-user',
      'materialId=999999999',
      'itemId=999999999',
    ]) {
      const { status, body } = await api('GET', `/products?${query}`, { token });
      expect([query, status, body]).toEqual([query, 200, { products: [], meta: { hasNext: false } }]);
    }
  });

  it('that are unpublished are listed for their creator only, with every filter', async () => {
    for (const query of [
      `userId=${creator.id}`,
      `userName=${creator.name}`,
      `userId=${creator.id}&itemId=${items['can-badge'].id}`,
    ]) {
      const own = await api('GET', `/products?limit=50&${query}`, { token: creator.apiKey });
      expect(idsOf('products', own)).toContain(unpublished);
      const others = await api('GET', `/products?limit=50&${query}`, { token: viewer.apiKey });
      expect(idsOf('products', others)).not.toContain(unpublished);
    }
  });

  it('are found by q and itemId in every combination', async () => {
    for (const itemId of [items['can-badge'].id, items['sticker'].id, items['note'].id])
      for (const filters of subsetsOf({ q: `Whale ${creator.name}`, itemId })) {
        const { status } = await api('GET', `/products/search?${queryOf(filters)}`, { token: viewer.apiKey });
        expect(status).toBe(200);
      }
    const title = `Zebra${creator.id}`;
    const zebra = await newMaterial(creator, {
      title,
      products: [
        { itemId: items['can-badge'].id, published: true },
        { itemId: items['sticker'].id, published: true },
      ],
    });
    const idOn = (name: string) => zebra.products.find((it: any) => it.item.name === name).id;
    const found = async (query: string) =>
      idsOf('products', await api('GET', `/products/search?${query}`, { token: viewer.apiKey })).sort();
    expect(await found(`q=${title}`)).toEqual(zebra.products.map((it: any) => it.id).sort());
    expect(await found(`q=${title}&itemId=${items['sticker'].id}`)).toEqual([idOn('sticker')]);
    expect(await found(`q=${title}&itemId=${items['mug'].id}`)).toEqual([]);
  });
});

describe('choices', () => {
  const choices: { id: number; userId: number; userName: string }[] = [];
  let secret: number;

  beforeAll(async () => {
    for (const user of [creator, creator, second]) {
      const { body } = await api('POST', '/choices', { token: user.apiKey, body: { title: 'Choice' } });
      choices.push({ id: body.choice.id, userId: user.id, userName: user.name });
    }
    const made = await api('POST', '/choices', { token: creator.apiKey, body: { title: 'Secret', secret: true } });
    secret = made.body.choice.id;
  });

  it('are filtered by userId and userName in every combination, secret ones for their owner only', async () => {
    for (const { userId, userName } of [choices[0]!, choices[2]!])
      for (const filters of subsetsOf({ userId, userName })) {
        if (Object.keys(filters).length === 0) continue;
        const expected = choices.filter((it: any) =>
          Object.entries(filters).every(([name, value]) => it[name] === value),
        );
        const ids = expected.map(({ id }) => id).reverse();
        const path = `/choices?limit=50&${queryOf(filters)}`;
        expect([filters, idsOf('choices', await api('GET', path, { token: viewer.apiKey }))]).toEqual([filters, ids]);
        const own = idsOf('choices', await api('GET', path, { token: creator.apiKey }));
        expect([filters, own]).toEqual([filters, userId === creator.id ? [secret, ...ids] : ids]);
      }
    const crossed = await api('GET', `/choices?userId=${creator.id}&userName=${second.name}`, { token: viewer.apiKey });
    expect(crossed.body).toEqual({ choices: [], meta: { hasNext: false } });
  });

  it('of all users are listed newest first, without secret ones of others', async () => {
    const ids = idsOf('choices', await api('GET', '/choices?limit=50', { token: viewer.apiKey }));
    // Without choices of other tests, whose ids need not be in the order of their times
    const made = choices.map(({ id }) => id).reverse();
    expect(ids.filter((id: number) => made.includes(id))).toEqual(made);
    expect(ids).not.toContain(secret);
  });
});

describe('favorites, materials and users', () => {
  it('favorites of a product are filtered by itemId', async () => {
    const { id, itemId } = products[0]!;
    await api('POST', `/products/${id}/favorites`, { token: viewer.apiKey, body: {} });
    const of = async (query: string) =>
      (await api('GET', `/products/${id}/favorites${query}`, { token: viewer.apiKey })).body.favorites.map(
        (it: any) => it.user.id,
      );
    expect(await of('')).toEqual([viewer.id]);
    expect(await of(`?itemId=${itemId}`)).toEqual([viewer.id]);
    expect(await of(`?itemId=${items['mug'].id}`)).toEqual([]);
  });

  it('materials are filtered by userId: published ones of others, all own ones', async () => {
    const of = async (query: string, { apiKey: token }: User) =>
      (await api('GET', `/materials?limit=50${query}`, { token })).body.materials;
    const mine = await of('', creator);
    expect(await of(`&userId=${creator.id}`, creator)).toEqual(mine);
    const published = await of(`&userId=${creator.id}`, viewer);
    expect(published).toEqual(mine.filter((it: any) => it.published));
    expect(published.length).toBeLessThan(mine.length);
    expect(await of(`&userId=${second.id}`, viewer)).toHaveLength(1);
    expect(await of('', viewer)).toEqual([]);
    expect(await of('&userId=999999999', viewer)).toEqual([]);
  });

  it('users are filtered by their exact name', async () => {
    const of = async (name: string) =>
      (await api('GET', `/users?name=${name}`, { token: viewer.apiKey })).body.users.map((it: any) => it.id);
    expect(await of(creator.name)).toEqual([creator.id]);
    expect(await of(creator.name.slice(0, -1))).toEqual([]);
    expect(await of('no-such-user')).toEqual([]);
  });
});

describe('paging', () => {
  const lists: [string, string, () => string][] = [
    ['products', 'products', () => `/products?userId=${creator.id}`],
    ['products of a choice', 'products', () => `/choices/${choiceOfAll}/products`],
    ['products on sale', 'products', () => '/products/on_sale'],
    ['found products', 'products', () => '/products/search?q=whale'],
    ['choices', 'choices', () => `/choices?userId=${creator.id}`],
    ['materials', 'materials', () => `/materials?userId=${creator.id}`],
    ['favorites of a product', 'favorites', () => `/products/${products[1]!.id}/favorites`],
    ['favorites of a user', 'favorites', () => `/users/${viewer.id}/favorites`],
    ['users', 'users', () => '/users'],
  ];
  let choiceOfAll: number;

  beforeAll(async () => {
    const choiceProducts = products.map(({ id }) => ({ productId: id }));
    const [made] = await Promise.all([
      api('POST', '/choices', { token: viewer.apiKey, body: { title: 'All', choiceProducts } }),
      createSale({ user: creator.name, percent: 10 }),
      ...[creator, second, viewer].map(({ apiKey: token }) =>
        api('POST', `/products/${products[1]!.id}/favorites`, { token, body: {} }),
      ),
      ...[0, 2, 3].map((at) =>
        api('POST', `/products/${products[at]!.id}/favorites`, { token: viewer.apiKey, body: {} }),
      ),
    ]);
    choiceOfAll = made.body.choice.id;
  });

  const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;

  it.each(lists)(
    'of %s returns every entry once, and hasNext is false on the last page only',
    async (_, list, path) => {
      const { apiKey: token } = viewer;
      // Entries may be added during the test: those that exist at its start must be returned once
      const whole = idsOf(list, await api('GET', withQuery(path(), 'limit=50'), { token }));
      expect(whole.length).toBeGreaterThanOrEqual(2);
      for (const limit of [1, 2, 50]) {
        const pages = await allPages(withQuery(path(), `limit=${limit}`), token);
        const ids = pages.flatMap((page) => idsOf(list, page));
        expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
        expect(pages.map(({ body }) => body.meta.hasNext)).toEqual(pages.map((_, at) => at < pages.length - 1));
        for (const page of pages.slice(0, -1)) expect(page.body[list]).toHaveLength(limit);
        if (whole.length < 40) expect([limit, ids.filter((id) => whole.includes(id))]).toEqual([limit, whole]);
      }
    },
  );

  it('has an exact hasNext when the list ends with the page', async () => {
    const { apiKey: token } = viewer;
    const all = `userId=${creator.id}`;
    const { length } = (await api('GET', `/products?limit=50&${all}`, { token })).body.products;
    const at = async (limit: number, offset: number) => {
      const response = await api('GET', `/products?limit=${limit}&offset=${offset}&${all}`, { token });
      return [response.body.products.length, response.body.meta.hasNext, nextPage(response) !== undefined];
    };
    expect(await at(length, 0)).toEqual([length, false, false]);
    expect(await at(length - 1, 0)).toEqual([length - 1, true, true]);
    expect(await at(length - 1, 1)).toEqual([length - 1, false, false]);
    expect(await at(1, length - 1)).toEqual([1, false, false]);
    expect(await at(1, length - 2)).toEqual([1, true, true]);
    expect(await at(1, length)).toEqual([0, false, false]);
  });

  it('preserves the other parameters in the URL of the next page', async () => {
    const query = `userName=${creator.name}&limit=1&offset=1&itemId=${items['can-badge'].id}`;
    const response = await api('GET', `/products?offset=0&limit=1&userName=${creator.name}`, { token: viewer.apiKey });
    const next = new URL(nextPage(response)!);
    expect(Object.fromEntries(next.searchParams)).toEqual({ userName: creator.name, limit: '1', offset: '1' });
    const narrowed = await api('GET', `/products?${query.replace('offset=1', 'offset=0')}`, { token: viewer.apiKey });
    expect(Object.fromEntries(new URL(nextPage(narrowed)!).searchParams)).toEqual(
      Object.fromEntries(new URLSearchParams(query)),
    );
    const search = await api('GET', `/products/search?limit=1&q=${encodeURIComponent('whale &=#')}`, {
      token: viewer.apiKey,
    });
    expect(search.status).toBe(200);
  });

  it('has a stable order of entries with equal times', async () => {
    const names = ['can-badge', 'sticker', 'note', 'mug', 'clear-file', 'bandana'];
    const fields = { title: 'Moment', products: names.map((name) => ({ itemId: items[name].id, published: true })) };
    const made = await newMaterial(second, fields);
    expect(new Set(made.products.map((it: any) => it.createdAt)).size).toBe(1);
    const path = `/products?materialId=${made.material.id}`;
    const whole = idsOf('products', await api('GET', path, { token: viewer.apiKey }));
    expect(whole).toEqual(made.products.map((it: any) => it.id).sort((a: number, b: number) => b - a));
    const single = await allPages(`${path}&limit=1`, viewer.apiKey);
    expect(single.flatMap((page) => idsOf('products', page))).toEqual(whole);
  });

  it.each(lists)('far beyond the end of %s is empty, within 15 s', async (_, list, path) => {
    const since = Date.now();
    const response = await api('GET', withQuery(path(), 'offset=999999999&limit=50'), { token: viewer.apiKey });
    expect([response.status, response.body]).toEqual([200, { [list]: [], meta: { hasNext: false } }]);
    expect(Date.now() - since).toBeLessThan(15_000);
  });
});
