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
  it('have the defaults of the specification', () => {
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
  ])('refuse %s=%j', (name, value) => {
    expect(paths(ProductListQuery.safeParse({ [name]: value }))).toEqual([name]);
  });

  it('ignore keys that nobody knows', () => {
    expect(ProductListQuery.parse({ limit: '50', 'a[b]': 'c', nonsense: '1' })).toEqual({ limit: 50, offset: 0 });
  });
});

describe('the body of a new material', () => {
  const body = { texture: 'https://example.com/a.png', title: 'A' };

  it('needs a texture and a title only', () => {
    expect(MaterialCreateBody.parse(body)).toEqual({ ...body, price: 0, description: null, products: [] });
  });

  it('names every offending path at once', () => {
    const wrong = {
      texture: 'file:///etc/passwd',
      price: -1,
      description: 5,
      products: [
        { itemId: 'x', published: 'yes' },
        { itemId: 1, resizeMode: 'stretch', sub_materials: [{}] },
      ],
    };
    expect(paths(MaterialCreateBody.safeParse(wrong)).sort()).toEqual(
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

  it('says what is expected in a clause that fits behind the path', () => {
    const { error } = MaterialCreateBody.safeParse({ price: '1', products: {}, description: 5 });
    const said = Object.fromEntries(error!.issues.map(({ path, message }) => [path.join('.'), message]));
    expect(said).toEqual({
      texture: 'is missing',
      title: 'is missing',
      price: 'must be an integer',
      products: 'must be an array',
      description: 'must be text',
    });
    expect(MaterialCreateBody.safeParse({ ...body, price: -1 }).error!.issues[0]!.message).toBe('must be 0 or more');
  });

  it.each([
    ['an empty title', ''],
    ['256 characters', 'x'.repeat(256)],
    ['NUL', 'a\0b'],
    ['half of a surrogate pair', 'a\ud800b'],
  ])('refuses a title of %s', (_, title) => {
    expect(paths(MaterialCreateBody.safeParse({ ...body, title }))).toEqual(['title']);
  });

  it('counts code points, so that 255 emoji are 255 characters', () => {
    expect(MaterialCreateBody.safeParse({ ...body, title: '🐈'.repeat(255) }).success).toBe(true);
    expect(MaterialCreateBody.safeParse({ ...body, title: '🐈'.repeat(256) }).success).toBe(false);
  });

  it('takes nothing from the prototype', () => {
    const hostile = JSON.parse('{"__proto__":{"title":"x","texture":"https://a"},"constructor":1}') as object;
    expect(paths(MaterialCreateBody.safeParse(hostile)).sort()).toEqual(['texture', 'title']);
  });
});

describe('the body of a favorite', () => {
  it('may be missing', () => {
    expect(FavoriteCreateBody.parse(undefined)).toEqual({ count: 1 });
  });

  it.each([0, 101, 1.5, '1'])('refuses the count %j', (count) => {
    expect(FavoriteCreateBody.safeParse({ count }).success).toBe(false);
  });
});

describe('the margin', () => {
  it.each<[string, z.ZodType, object]>([
    ['a new material', MaterialCreateBody, { texture: 'https://a.b/c', title: 'A', description: 5 }],
    ['a text', MaterialTextBody, { text: 'A', description: 5 }],
    ['a changed material', MaterialUpdateBody, { description: 5 }],
  ])('of %s has the maximum that the operator sets, named with all other errors', (_, body, wrong) => {
    const bounded = withMaximumPrice(5_000).get(body)!;
    const { issues } = bounded.safeParse({ ...wrong, price: 5_001 }).error!;
    expect(issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
      ['price', 'must be 5000 or less'],
      ['description', 'must be text'],
    ]);
    expect(paths(bounded.safeParse({ ...wrong, price: 5_000 }))).toEqual(['description']);
    expect(paths(bounded.safeParse({ ...wrong, price: -1 }))).toEqual(['price', 'description']);
    expect(paths(bounded.safeParse(wrong))).toEqual(['description']);
  });

  it('is bounded in every body that has one', () => {
    const withPrice = Object.values(requestShapes).filter((shape) => 'price' in propertiesOf(shape));
    expect([...withMaximumPrice(1).keys()]).toEqual(expect.arrayContaining(withPrice));
    expect(withPrice).toHaveLength(3);
  });

  it('leaves the body of a changed material optional', () => {
    expect(withMaximumPrice(1).get(MaterialUpdateBody)!.parse(undefined)).toEqual({});
  });
});

describe('the body of a changed material', () => {
  it('may be missing, and then changes nothing', () => {
    expect(MaterialUpdateBody.parse(undefined)).toEqual({});
  });

  it('says nothing of what was not sent', () => {
    const body = { description: null, products: [{ itemId: 1 }, { exemplaryItemVariantId: 5, resizeMode: null }] };
    expect(MaterialUpdateBody.parse(body)).toEqual(body);
  });

  it('need not say what the specification does not require', () => {
    expect(MaterialUpdateBody.parse({ products: [{}] })).toEqual({ products: [{}] });
    expect(MaterialCreateBody.safeParse({ texture: 'https://a.b/c', title: 'A', products: [{}] }).success).toBe(true);
  });
});

describe('the text of a material', () => {
  it('has 1 to 255 code points', () => {
    expect(MaterialTextBody.safeParse({ text: '👨'.repeat(255) }).success).toBe(true);
    for (const text of ['', 'x'.repeat(256), 'a\0', 'a\udc00', 5])
      expect(paths(MaterialTextBody.safeParse({ text }))).toEqual(['text']);
  });
});

describe('the bodies of choices', () => {
  it('need a title and nothing else to be made', () => {
    expect(ChoiceCreateBody.parse({ title: 'A' })).toEqual({ title: 'A', choiceProducts: [] });
    expect(paths(ChoiceCreateBody.safeParse({}))).toEqual(['title']);
  });

  it('tell null from absent on update', () => {
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
    // The encoded address is longer than 2,048 characters
    `https://a.b/${'名'.repeat(300)}`,
  ])('refuse the banner %s', (bannerUrl) =>
    expect(paths(ChoiceCreateBody.safeParse({ title: 'A', bannerUrl }))).toContain('bannerUrl'),
  );

  it.each([
    ['HTTPS://Example.COM:443/a/../banner.png', 'https://example.com/banner.png'],
    ['https://例え.jp/名', 'https://xn--r8jz45g.jp/%E5%90%8D'],
    ['https://example.com', 'https://example.com'],
  ])('store the banner %s in normal form', (bannerUrl, stored) => {
    expect(ChoiceCreateBody.parse({ title: 'A', bannerUrl }).bannerUrl).toBe(stored);
  });

  it('hold 500 products', () => {
    const choiceProducts = Array.from({ length: 501 }, (_, index) => ({ productId: index + 1 }));
    expect(paths(ChoiceUpdateBody.safeParse({ choiceProducts }))).toEqual(['choiceProducts']);
    expect(ChoiceUpdateBody.safeParse({ choiceProducts: choiceProducts.slice(1) }).success).toBe(true);
  });

  it.each([0, -1, 1.5, '1', null, 2 ** 53])('refuse the product %j', (productId) => {
    expect(paths(ChoiceProductBody.safeParse({ productId }))).toEqual(['productId']);
  });
});

describe('what a user changes of itself', () => {
  it('is each key that was sent, null or not', () => {
    const body = { displayName: null, profile: { body: 'I draw cats.', url: null } };
    expect(UserUpdateBody.parse({ ...body, email: 'x@example.com', name: 'root' })).toEqual(body);
  });

  it('names every offending path', () => {
    const wrong = { displayName: 5, avatarUrl: 'ftp://a', profile: { url: 'x', body: {}, headerUrl: 1 } };
    expect(paths(UserUpdateBody.safeParse(wrong)).sort()).toEqual([
      'avatarUrl',
      'displayName',
      'profile.body',
      'profile.headerUrl',
      'profile.url',
    ]);
  });
});

describe('other limits', () => {
  it('are those of the specification', () => {
    expect(ActivityListQuery.parse({})).toEqual({ limit: 30 });
    expect(ActivityListQuery.safeParse({ limit: '31' }).success).toBe(false);
    expect(ProductSearchQuery.parse({ q: '' })).toEqual({ q: '', limit: 20, offset: 0 });
    expect(ProductSearchQuery.safeParse({ q: '猫'.repeat(100) }).success).toBe(true);
    expect(paths(ProductSearchQuery.safeParse({ q: '猫'.repeat(101) }))).toEqual(['q']);
  });

  it.each(['', 'x'.repeat(256), 'ä', 'a\nb'])('refuse the idempotency key %j', (key) => {
    expect(IdempotencyKey.safeParse(key).success).toBe(false);
  });
});
