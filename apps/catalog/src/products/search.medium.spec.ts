import { DataSource } from 'typeorm';
import { nextOffsetHeader, type PayloadOf, ProductListResponse, type Services } from '#contracts';
import { SearchProducts } from '../migrations/20261121T093000-search-products.js';
import { bodyOf, catalogStack, type CatalogStack, wantedMaterial, wantedProduct } from '../testing/catalog-stack.js';
import { searchColumns } from '#kernel';
import { fillSearch } from './search-columns.sweeper.js';
import { pageOfSearch } from './search-page.queries.js';

type SearchRequest = PayloadOf<Services['catalog'], 'products.search'>;

const shirt = 1;
const mug = 3;
let stack: CatalogStack;
/** Ids of a shirt and a mug by title of their material. */
const ids = new Map<string, { shirt: number; mug: number }>();

const titles = [
  'Lighthouse at night',
  'LIGHTHOUSE 100%',
  'Ｌｉｇｈｔ ﾊｳｽ',
  '灯台と猫',
  '猫',
  'ねこ',
  'ネコ_cat',
  'back\\slash \'quoted\' "twice"',
  '🐈‍⬛🐈',
  'hidden lighthouse',
  'nigh ghtx',
  'ca at',
];

const search = async (q: string, more: Partial<SearchRequest> = {}) => {
  const request = { viewerId: stack.hanako, q, itemId: shirt, limit: 50, offset: 0, ...more };
  const reply = await stack.products.search(request);
  const { products, meta } = ProductListResponse.strict().parse(bodyOf(reply));
  expect(nextOffsetHeader in reply.headers).toBe(meta.hasNext);
  return products;
};
const titlesOf = async (q: string, more: Partial<SearchRequest> = {}) =>
  (await search(q, more)).map(({ material }) => material.title);

beforeAll(async () => {
  stack = await catalogStack();
  for (const title of titles) {
    const published = title !== 'hidden lighthouse';
    const products = [wantedProduct(shirt, { published }), wantedProduct(mug, { published })];
    const reply = await stack.materials.create(wantedMaterial(stack.hanako, { title, products }));
    const [first, second] = (bodyOf(reply) as { products: { id: number }[] }).products;
    ids.set(title, { shirt: first!.id, mug: second!.id });
  }
});
afterAll(() => stack.close());

describe('ProductQueries.search', () => {
  it.each([
    ['lighthouse', ['hidden lighthouse', 'LIGHTHOUSE 100%', 'Lighthouse at night']],
    ['NIGHT  light', ['Lighthouse at night']],
    ['light\u3000ハウス', ['Ｌｉｇｈｔ ﾊｳｽ']],
    ['night', ['Lighthouse at night']],
    ['cat', ['ネコ_cat']],
    ['猫', ['猫', '灯台と猫']],
    ['猫 灯', ['灯台と猫']],
    ['ネコ', ['ネコ_cat']],
    ['ねこ', ['ねこ']],
    ['%', ['LIGHTHOUSE 100%']],
    ['_', ['ネコ_cat']],
    ['\\', ['back\\slash \'quoted\' "twice"']],
    ["'quoted'", ['back\\slash \'quoted\' "twice"']],
    ['"', ['back\\slash \'quoted\' "twice"']],
    ['🐈', ['🐈‍⬛🐈']],
    ['⬛🐈', ['🐈‍⬛🐈']],
    ['lighthouse dog', []],
    ["'); drop table products; --", []],
  ])('finds products with every word of %j, newest first', async (q, expected) => {
    expect(await titlesOf(q)).toEqual(expected);
  });

  it('lists all products for a query without a word', async () => {
    const all = bodyOf(
      await stack.products.list({
        viewerId: stack.hanako,
        limit: 50,
        offset: 0,
        itemId: undefined,
        userId: undefined,
        userName: undefined,
        materialId: undefined,
      }),
    ) as { products: { id: number }[] };
    expect(all.products).toHaveLength(titles.length * 2);
    for (const q of ['', ' \u3000\t'])
      expect(await search(q, { itemId: undefined })).toMatchObject(all.products.map(({ id }) => ({ id })));
  });

  it('finds words in all names of the item', async () => {
    const night = ids.get('Lighthouse at night')!;
    for (const q of ['night マグ', 'night ﾏｸﾞ', 'mug night', 'マグ lighthouse night'])
      expect((await search(q, { itemId: undefined })).map(({ id }) => id)).toEqual([night.mug]);
    const shirts = (await search('t-shirt', { itemId: undefined })).map(({ item }) => item.id);
    expect(shirts).toEqual(titles.map(() => shirt));
    expect(await search('nightmug', { itemId: undefined })).toEqual([]);
  });

  it('hides unpublished products from other users', async () => {
    for (const viewerId of [stack.taro, 999])
      expect(await titlesOf('lighthouse', { viewerId })).toEqual(['LIGHTHOUSE 100%', 'Lighthouse at night']);
  });

  it('pages without gaps or duplicates', async () => {
    const all = (await search('i', { itemId: undefined })).map(({ id }) => id);
    expect(all.length).toBeGreaterThan(6);
    const seen: number[] = [];
    for (let offset = 0; offset < all.length; offset += 3) {
      const page = await search('i', { itemId: undefined, limit: 3, offset });
      seen.push(...page.map(({ id }) => id));
    }
    expect(seen).toEqual(all);
    expect(await search('i', { itemId: undefined, offset: 999_999_999 })).toEqual([]);
  });
});

describe('pageOfSearch', () => {
  const explain = async (q: string, offset = 0) => {
    const request = { viewerId: stack.taro, q, itemId: undefined, limit: 20, offset };
    const { sql, parameters } = pageOfSearch(request, await stack.catalog.current());
    const plan = await stack.database.query(`explain (analyze, format json) ${sql}`, parameters);
    return JSON.stringify(plan);
  };

  beforeAll(async () => {
    await stack.database.query(`insert into materials
      (user_id, title, price, published, published_at, texture_hash, texture_format, original_width, original_height)
      select ${stack.hanako}, 'x', 300, true, now(), repeat('a', 64), 'png', 10, 10 from generate_series(1, 20000)`);
    const insertProducts = (title: string, condition: string) =>
      stack.database.query(
        `insert into products (material_id, user_id, item_id, exemplary_variant_id, published, published_at, created_at, search_text, search_tokens)
         select id, user_id, ${shirt}, 1, true, now(), now() - interval '1 year' + id * interval '1 second', $1, $2
         from materials where title = 'x' and ${condition}`,
        Object.values(searchColumns(title)),
      );
    await insertProducts('everywhere', 'id % 1000 > 0');
    await insertProducts('everywhere zqxjkvw', 'id % 1000 = 0');
    await stack.database.query('analyze products');
  });

  it('finds a common word among the newest products without the search index', async () => {
    const plan = await explain('everywhere');
    expect(plan).toContain('"Index Name":"products_listed"');
    const unexecuted = /"Node Type":"Result","Parent Relationship":"\w+"[^{}]*"Actual Rows":0,[^{}]*"One-Time Filter"/;
    expect(plan).toMatch(unexecuted);
  });

  it('finds a rare word by the index', async () => {
    const plan = await explain('zqxjkvw');
    expect(plan).toContain('"Index Name":"products_search"');
    expect(plan).not.toMatch(/"Node Type":"Seq Scan"[^{}]*"Relation Name":"products"/);
  });

  it('returns the same products with both strategies', async () => {
    const rare = await search('zqxjkvw', { viewerId: stack.taro });
    expect(rare).toHaveLength(20);
    const dates = rare.map(({ createdAt }) => createdAt);
    expect(dates).toEqual(dates.toSorted().reverse());
    const both = await search('everywhere zqxjkvw', { viewerId: stack.taro, limit: 20, offset: 5 });
    expect(both.map(({ id }) => id)).toEqual(rare.slice(5).map(({ id }) => id));
  });
});

describe('fillSearch', () => {
  const fill = () => fillSearch((work) => stack.database.transaction(work));
  const clearColumns = (titles: readonly string[]) =>
    stack.database.query(
      `update products p set search_text = null, search_tokens = null
       from materials m where m.id = p.material_id and m.title = any($1)`,
      [titles],
    );
  const columns = () => stack.database.query('select id, search_text, search_tokens from products order by id');

  it('makes products of an older version findable by title', async () => {
    const before = await columns();
    const rare = await titlesOf('zqxjkvw');
    await clearColumns(titles);
    expect(await titlesOf('猫')).toEqual([]);
    await fill();
    expect(await titlesOf('猫')).toEqual(['猫', '灯台と猫']);
    expect(await titlesOf('zqxjkvw')).toEqual(rare);
    expect(await columns()).toEqual(before);
  });

  it('skips locked products, and does not overwrite their changes', async () => {
    await clearColumns(['猫', 'ねこ']);
    await stack.database.transaction(async (tx) => {
      const [cat] = await tx.query<{ id: number }[]>(
        `select p.id from products p join materials m on m.id = p.material_id where m.title = '猫' for update of p`,
      );
      // Before the update, which sets the version in one of 16 rows, chosen by session: the sweep
      // may need the same row
      await fill();
      await tx.query(`update products set search_text = 'tower', search_tokens = $1 where id = $2`, [
        searchColumns('tower').searchTokens,
        cat!.id,
      ]);
    });
    await fill();
    expect([await titlesOf('ねこ'), await titlesOf('tower')]).toEqual([['ねこ'], ['猫']]);
    await clearColumns(['猫']);
    await fill();
    expect(await titlesOf('猫')).toEqual(['猫', '灯台と猫']);
  });
});

describe('the migration', () => {
  it('fills the search columns of existing products', async () => {
    const before = await stack.database.query('select id, search_text, search_tokens from products order by id');
    const source = await new DataSource({
      type: 'postgres',
      url: stack.ownerUrl,
      extra: { options: '-c search_path=catalog' },
    }).initialize();
    const runner = source.createQueryRunner();
    await runner.query(`update materials set title = 'everywhere' where title = 'x'`);
    const migration = new SearchProducts();
    await migration.down(runner);
    await migration.up(runner);
    await migration.up(runner);
    await source.destroy();
    const after = await stack.database.query('select id, search_text, search_tokens from products order by id');
    // The titles of the changed products do not contain the rare word
    const changed = before.filter((row, index) => JSON.stringify(row) !== JSON.stringify(after[index]));
    expect(changed).toHaveLength(20);
    expect(changed.every((row) => JSON.stringify(row).includes('zqxjkvw'))).toBe(true);
    expect(await titlesOf('猫')).toEqual(['猫', '灯台と猫']);
  });
});
