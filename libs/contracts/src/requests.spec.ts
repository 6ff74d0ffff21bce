import { FavoriteCreateBody, MaterialCreateBody, ProductListQuery } from './requests.js';

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
    expect(MaterialCreateBody.safeParse({ ...body, price: 1e9 }).error!.issues[0]!.message).toBe(
      'must be 100000 or less',
    );
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
