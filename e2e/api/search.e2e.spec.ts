import { randomBytes } from 'node:crypto';
import { api, itemsByName, newMaterial, newUser, newUsers, type User } from '../support/shop.js';

describe('search', () => {
  let creator: User;
  let viewer: User;
  let items: Record<string, any>;
  /** Unique word in all titles, by which searches exclude products of other tests. */
  const mark = `k${randomBytes(5).toString('hex')}`;
  const titles = {
    cats: `${mark} Big Cats`,
    cat: `${mark} cat`,
    fullWidth: `${mark} ＡＢＣ１２３`,
    halfWidthKana: `${mark} ﾈｺﾁｬﾝ`,
    kana: `${mark} ネコちゃん カフェ`,
    japanese: `${mark} 東京の夜景`,
    percent: `${mark} 100% wool`,
    underscore: `${mark} snake_case`,
    backslash: `${mark} back\\slash`,
    quote: `${mark} don't "quote"`,
    letter: `${mark} x`,
    accent: `${mark} Café ÉCLAIR`,
    german: `${mark} Straße`,
    emoji: `${mark} 🐈 emoji`,
    dots: `${mark} a.b*c(d)[e]{f}^$|?+`,
    operators: `${mark} this & that | !those <-> ones:*`,
  } as const;
  type Title = keyof typeof titles;
  const names = Object.keys(titles) as Title[];
  let byProduct: Map<number, Title>;

  beforeAll(async () => {
    [creator, viewer] = (await newUsers(2)) as [User, User];
    items = await itemsByName(creator.apiKey);
    const products = [{ itemId: items['sticker'].id, published: true }];
    byProduct = new Map();
    for (const name of names) {
      const made = await newMaterial(creator, { title: titles[name], products });
      byProduct.set(made.products[0].id, name);
    }
  });

  async function search(q: string, more = '', user = viewer): Promise<Title[]> {
    const path = `/products/search?limit=50&q=${encodeURIComponent(q)}${more}`;
    const response = await api('GET', path, { token: user.apiKey });
    expect([response.status, response.body.errors]).toEqual([200, undefined]);
    return response.body.products
      .map((it: any) => byProduct.get(it.id))
      .filter((name: Title | undefined) => name !== undefined);
  }

  const newestFirst = [...names].reverse();

  it.each<[string, Title[]]>([
    ['', newestFirst],
    ['cat', ['cat', 'cats']],
    ['CAT', ['cat', 'cats']],
    ['ｃａｔ', ['cat', 'cats']],
    ['cats', ['cats']],
    ['big cats', ['cats']],
    ['cats big', ['cats']],
    ['big　cats', ['cats']],
    ['  big   cats  ', ['cats']],
    ['big dogs', []],
    ['abc123', ['fullWidth']],
    ['ABC１２３', ['fullWidth']],
    ['ネコ', ['kana', 'halfWidthKana']],
    ['ﾈｺ', ['kana', 'halfWidthKana']],
    ['ネコチャン', ['halfWidthKana']],
    ['ちゃん', ['kana']],
    ['東京', ['japanese']],
    ['夜景', ['japanese']],
    ['夜', ['japanese']],
    ['京の', ['japanese']],
    ['100%', ['percent']],
    ['%', ['percent']],
    ['1%0', []],
    ['_', ['underscore']],
    ['snake_case', ['underscore']],
    ['snakeXcase', []],
    ['\\', ['backslash']],
    ['back\\slash', ['backslash']],
    ["don't", ['quote']],
    ["'", ['quote']],
    ['"quote"', ['quote']],
    ['"', ['quote']],
    ['x', ['letter']],
    ['café', ['accent']],
    ['éclair', ['accent']],
    ['🐈', ['emoji']],
    ['.b*c(d)[e]{f}^$|?+', ['dots']],
    ['&', ['operators']],
    ['!those', ['operators']],
    ['ones:*', ['operators']],
    ['|', ['operators', 'dots']],
    ["'; drop table products; --", []],
  ])('finds the expected products for %j', async (words, expected) => {
    expect(await search(`${mark} ${words}`)).toEqual(expected);
  });

  it('searches title and item name, also combined', async () => {
    const { humanizeName } = items['sticker'];
    expect(await search(`${mark} ${humanizeName}`)).toEqual(newestFirst);
    expect(await search(`${humanizeName} 夜景 ${mark}`)).toEqual(['japanese']);
    expect(await search(`${mark} ${items['mug'].humanizeName}`)).toEqual([]);
  });

  it('finds products whose title or item name contains a single letter or symbol', async () => {
    for (const q of ['x', '%', '_', '\\', '夜', '🐈', '"', "'"]) {
      const { status, body } = await api('GET', `/products/search?q=${encodeURIComponent(q)}`, {
        token: viewer.apiKey,
      });
      expect([q, status, body.products.length > 0]).toEqual([q, 200, true]);
      for (const it of body.products)
        expect([q, `${it.title} ${it.item.humanizeName}`.normalize('NFKC').toLowerCase().includes(q)]).toEqual([
          q,
          true,
        ]);
    }
  });

  it('lists the newest products for a missing, empty or blank q', async () => {
    const [plain, ...others] = await Promise.all(
      [
        `/products?userId=${creator.id}`,
        '/products/search',
        '/products/search?q=',
        '/products/search?q=%20%E3%80%80',
      ].map((path) => api('GET', path, { token: viewer.apiKey })),
    );
    expect(plain!.body.products.length).toBe(names.length);
    for (const response of others) expect([response.status, response.body.products.length]).toEqual([200, 20]);
  });

  it('accepts 100 characters and rejects 101', async () => {
    const request = async (q: string) =>
      (await api('GET', `/products/search?q=${encodeURIComponent(q)}`, { token: viewer.apiKey })).status;
    for (const character of ['a', '猫', '🐈', '%', ' ', 'ﷺ']) {
      expect([character, await request(character.repeat(100))]).toEqual([character, 200]);
      expect([character, await request(character.repeat(101))]).toEqual([character, 400]);
    }
    expect(await request(Array.from({ length: 50 }, (_, at) => String.fromCharCode(97 + (at % 26))).join(' '))).toBe(
      200,
    );
  });

  it('finds the new title and not the old one after an update', async () => {
    const made = await newMaterial(creator, {
      title: `${mark}before`,
      products: [{ itemId: items['sticker'].id, published: true }],
    });
    const idsFor = async (q: string) =>
      (await api('GET', `/products/search?q=${q}`, { token: viewer.apiKey })).body.products.map((it: any) => it.id);
    expect(await idsFor(`${mark}before`)).toEqual([made.products[0].id]);
    const body = { title: `${mark}after` };
    expect((await api('PUT', `/materials/${made.material.id}`, { token: creator.apiKey, body })).status).toBe(200);
    expect(await idsFor(`${mark}before`)).toEqual([]);
    expect(await idsFor(`${mark}after`)).toEqual([made.products[0].id]);
  });

  it('returns unpublished products to their creator only', async () => {
    const title = `${mark}hidden`;
    const stranger = await newUser();
    const made = await newMaterial(creator, { title, products: [{ itemId: items['sticker'].id }] });
    byProduct.set(made.products[0].id, 'cat');
    expect(await search(title, '', creator)).toEqual(['cat']);
    expect(await search(title, '', stranger)).toEqual([]);
  });
});
