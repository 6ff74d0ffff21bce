import { z } from 'zod';
import {
  ActivityListQuery,
  ChoiceCreateBody,
  ChoiceProductBody,
  ChoiceUpdateBody,
  FavoriteCreateBody,
  IdempotencyKey,
  MaterialCreateBody,
  MaterialTextBody,
  MaterialUpdateBody,
  ProductListQuery,
  ProductSearchQuery,
  requestShapes,
  UserUpdateBody,
  withMaximumPrice,
} from './requests.js';

const propertiesOf = (shape: z.ZodType) => z.toJSONSchema(shape, { io: 'input' }).properties ?? {};

const paths = (result: { error?: { issues: { path: PropertyKey[] }[] } }) =>
  result.error?.issues.map(({ path }) => path.join('.')) ?? [];

describe('query strings', () => {
  it('have default limits and offsets', () => {
    expect(ProductListQuery.parse({})).toEqual({ limit: 20, offset: 0 });
  });

  it.each([
    ['limit', '0'],
    ['limit', '51'],
    ['limit', 'abc'],
    ['limit', '1.5'],
    ['limit', ''],
    ['limit', ['5', '6']],
    ['offset', '-1'],
    ['offset', '01'],
    ['offset', '1'.repeat(10)],
    ['itemId', '0'],
    ['itemId', '1'.repeat(19)],
    ['userId', 'x'],
    ['userName', 'a b'],
    ['userName', ''],
  ])('reject %s=%j', (name, value) => {
    expect(paths(ProductListQuery.safeParse({ [name]: value }))).toEqual([name]);
  });

  it('ignore unknown keys', () => {
    expect(ProductListQuery.parse({ limit: '50', 'a[b]': 'c', nonsense: '1' })).toEqual({ limit: 50, offset: 0 });
  });
});

describe('MaterialCreateBody', () => {
  const body = { texture: 'https://example.com/a.png', title: 'A' };

  it('requires only a texture and a title', () => {
    expect(MaterialCreateBody.parse(body)).toEqual({ ...body, price: 0, description: null, products: [] });
  });

  it('reports all invalid paths together', () => {
    const invalid = {
      texture: 'file:///etc/passwd',
      price: -1,
      description: 5,
      products: [
        { itemId: 'x', published: 'yes' },
        { itemId: 1, resizeMode: 'stretch', sub_materials: [{}] },
      ],
    };
    expect(paths(MaterialCreateBody.safeParse(invalid)).sort()).toEqual(
      [
        'description',
        'price',
        'products.0.itemId',
        'products.0.published',
        'products.1.resizeMode',
        'products.1.sub_materials.0.printSide',
        'products.1.sub_materials.0.texture',
        'texture',
        'title',
      ].sort(),
    );
  });

  it('describes the expected value in a clause to append to the path', () => {
    const { error } = MaterialCreateBody.safeParse({ price: '1', products: {}, description: 5 });
    const messages = Object.fromEntries(error!.issues.map(({ path, message }) => [path.join('.'), message]));
    expect(messages).toEqual({
      texture: 'is required',
      title: 'is required',
      price: 'must be an integer',
      products: 'must be an array',
      description: 'must be a string',
    });
    expect(MaterialCreateBody.safeParse({ ...body, price: -1 }).error!.issues[0]!.message).toBe('must be 0 or more');
  });

  it.each([
    ['an empty title', ''],
    ['256 characters', 'x'.repeat(256)],
    ['NUL', 'a\0b'],
    ['an unpaired surrogate', 'a\ud800b'],
  ])('rejects a title with %s', (_, title) => {
    expect(paths(MaterialCreateBody.safeParse({ ...body, title }))).toEqual(['title']);
  });

  it('counts code points: 255 emoji are 255 characters', () => {
    expect(MaterialCreateBody.safeParse({ ...body, title: '🐈'.repeat(255) }).success).toBe(true);
    expect(MaterialCreateBody.safeParse({ ...body, title: '🐈'.repeat(256) }).success).toBe(false);
  });

  it('ignores inherited properties', () => {
    const hostile = JSON.parse('{"__proto__":{"title":"x","texture":"https://a"},"constructor":1}') as object;
    expect(paths(MaterialCreateBody.safeParse(hostile)).sort()).toEqual(['texture', 'title']);
  });
});

describe('FavoriteCreateBody', () => {
  it('is optional', () => {
    expect(FavoriteCreateBody.parse(undefined)).toEqual({ count: 1 });
  });

  it.each([0, 101, 1.5, '1'])('rejects the count %j', (count) => {
    expect(FavoriteCreateBody.safeParse({ count }).success).toBe(false);
  });
});

describe('withMaximumPrice', () => {
  it.each<[string, z.ZodType, object]>([
    ['MaterialCreateBody', MaterialCreateBody, { texture: 'https://a.b/c', title: 'A', description: 5 }],
    ['MaterialTextBody', MaterialTextBody, { text: 'A', description: 5 }],
    ['MaterialUpdateBody', MaterialUpdateBody, { description: 5 }],
  ])('limits the price of %s and reports it with all other errors', (_, body, invalid) => {
    const bounded = withMaximumPrice(5_000).get(body)!;
    const { issues } = bounded.safeParse({ ...invalid, price: 5_001 }).error!;
    expect(issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
      ['price', 'must be 5000 or less'],
      ['description', 'must be a string'],
    ]);
    expect(paths(bounded.safeParse({ ...invalid, price: 5_000 }))).toEqual(['description']);
    expect(paths(bounded.safeParse({ ...invalid, price: -1 }))).toEqual(['price', 'description']);
    expect(paths(bounded.safeParse(invalid))).toEqual(['description']);
  });

  it('covers every body with a price', () => {
    const withPrice = Object.values(requestShapes).filter((shape) => 'price' in propertiesOf(shape));
    expect([...withMaximumPrice(1).keys()]).toEqual(expect.arrayContaining(withPrice));
    expect(withPrice).toHaveLength(3);
  });

  it('returns MaterialUpdateBody as an optional body', () => {
    expect(withMaximumPrice(1).get(MaterialUpdateBody)!.parse(undefined)).toEqual({});
  });
});

describe('MaterialUpdateBody', () => {
  it('is optional and then has no fields', () => {
    expect(MaterialUpdateBody.parse(undefined)).toEqual({});
  });

  it('adds no defaults for omitted fields', () => {
    const body = { description: null, products: [{ itemId: 1 }, { exemplaryItemVariantId: 5, resizeMode: null }] };
    expect(MaterialUpdateBody.parse(body)).toEqual(body);
  });

  it('accepts products without fields, as the specification does', () => {
    expect(MaterialUpdateBody.parse({ products: [{}] })).toEqual({ products: [{}] });
    expect(MaterialCreateBody.safeParse({ texture: 'https://a.b/c', title: 'A', products: [{}] }).success).toBe(true);
  });
});

describe('MaterialTextBody', () => {
  it('accepts a text of 1 to 255 code points', () => {
    expect(MaterialTextBody.safeParse({ text: '👨'.repeat(255) }).success).toBe(true);
    for (const text of ['', 'x'.repeat(256), 'a\0', 'a\udc00', 5])
      expect(paths(MaterialTextBody.safeParse({ text }))).toEqual(['text']);
  });
});

describe('the bodies of choices', () => {
  it('require only a title for a new choice', () => {
    expect(ChoiceCreateBody.parse({ title: 'A' })).toEqual({ title: 'A', choiceProducts: [] });
    expect(paths(ChoiceCreateBody.safeParse({}))).toEqual(['title']);
  });

  it('distinguish null from an absent field in updates', () => {
    expect(ChoiceUpdateBody.parse({ bannerUrl: null, description: null })).toEqual({
      bannerUrl: null,
      description: null,
    });
    expect(paths(ChoiceUpdateBody.safeParse({ title: null })).length).toBe(1);
  });

  it.each([
    'javascript:alert(1)',
    'example.com',
    'data:text/html,x',
    '//example.com',
    `https://a.b/${'x'.repeat(2_048)}`,
    'https://a.b/\ud800',
    'https://user:pass@example.com/banner.png',
    'https://user@example.com/',
    // The encoded URL is longer than 2,048 characters
    `https://a.b/${'名'.repeat(300)}`,
  ])('reject the banner URL %s', (bannerUrl) =>
    expect(paths(ChoiceCreateBody.safeParse({ title: 'A', bannerUrl }))).toContain('bannerUrl'),
  );

  it.each([
    ['HTTPS://Example.COM:443/a/../banner.png', 'https://example.com/banner.png'],
    ['https://例え.jp/名', 'https://xn--r8jz45g.jp/%E5%90%8D'],
    ['https://example.com', 'https://example.com'],
  ])('normalize the banner URL %s', (bannerUrl, normalized) => {
    expect(ChoiceCreateBody.parse({ title: 'A', bannerUrl }).bannerUrl).toBe(normalized);
  });

  it('accept at most 500 products', () => {
    const choiceProducts = Array.from({ length: 501 }, (_, index) => ({ productId: index + 1 }));
    expect(paths(ChoiceUpdateBody.safeParse({ choiceProducts }))).toEqual(['choiceProducts']);
    expect(ChoiceUpdateBody.safeParse({ choiceProducts: choiceProducts.slice(1) }).success).toBe(true);
  });

  it.each([0, -1, 1.5, '1', null, 2 ** 53])('reject the product id %j', (productId) => {
    expect(paths(ChoiceProductBody.safeParse({ productId }))).toEqual(['productId']);
  });
});

describe('UserUpdateBody', () => {
  it('has the keys that were sent, including null values, and ignores others', () => {
    const body = { displayName: null, profile: { body: 'I draw cats.', url: null } };
    expect(UserUpdateBody.parse({ ...body, email: 'x@example.com', name: 'root' })).toEqual(body);
  });

  it('reports every invalid path', () => {
    const invalid = { displayName: 5, avatarUrl: 'ftp://a', profile: { url: 'x', body: {}, headerUrl: 1 } };
    expect(paths(UserUpdateBody.safeParse(invalid)).sort()).toEqual([
      'avatarUrl',
      'displayName',
      'profile.body',
      'profile.headerUrl',
      'profile.url',
    ]);
  });
});

describe('other limits', () => {
  it('are 30 activities and 100 characters of a search query', () => {
    expect(ActivityListQuery.parse({})).toEqual({ limit: 30 });
    expect(ActivityListQuery.safeParse({ limit: '31' }).success).toBe(false);
    expect(ProductSearchQuery.parse({ q: '' })).toEqual({ q: '', limit: 20, offset: 0 });
    expect(ProductSearchQuery.safeParse({ q: '猫'.repeat(100) }).success).toBe(true);
    expect(paths(ProductSearchQuery.safeParse({ q: '猫'.repeat(101) }))).toEqual(['q']);
  });

  it.each(['', 'x'.repeat(256), 'ä', 'a\nb'])('reject the idempotency key %j', (key) => {
    expect(IdempotencyKey.safeParse(key).success).toBe(false);
  });
});
