import { api, itemsByName, newMaterial, newUser, type User } from '../support/shop.js';

describe('names of the catalog', () => {
  let owner: User;
  let productId: number;
  let choiceId: number;

  beforeAll(async () => {
    owner = await newUser();
    const { id: itemId } = (await itemsByName(owner.apiKey)).mug;
    const { products } = await newMaterial(owner, { title: 'Harbour', products: [{ itemId, published: true }] });
    productId = products[0].id;
    const choiceProducts = [{ productId }];
    const body = { title: 'Mugs', choiceProducts };
    choiceId = (await api('POST', '/choices', { token: owner.apiKey, body })).body.choice.id;
    await api('POST', `/products/${productId}/favorites`, { token: owner.apiKey, body: {} });
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    api('GET', path, { token: owner.apiKey, headers });

  it.each(['', 'ja', '*', 'fr', 'en;q=0.5, ja', 'en;q=0'])('are Japanese with Accept-Language %j', async (language) => {
    const { products: product } = (await get(`/products/${productId}`, { 'accept-language': language })).body;
    expect([product.title, product.item.humanizeName]).toEqual(['Harbour マグカップ', 'マグカップ']);
  });

  it.each(['en', 'en-US,en;q=0.9,ja;q=0.8', 'fr, en;q=0.1'])(
    'are English with Accept-Language %j',
    async (language) => {
      const { products: product } = (await get(`/products/${productId}`, { 'accept-language': language })).body;
      expect([product.title, product.item.humanizeName]).toEqual(['Harbour Mug', 'Mug']);
      expect(product.item.printPlaceDisplayNames).toMatchObject({ outside: 'Outside', front: 'Front' });
      expect(product.sampleItemVariant.color.displayName).toBe('White');
      expect(product.itemVariants[0].color.displayName).toBe('White');
    },
  );

  it('are in the language of the request in every response that has them', async () => {
    const paths = [
      '/items',
      '/categories',
      `/products?userId=${owner.id}`,
      `/products/${productId}`,
      '/products/search?q=Harbour',
      '/products/on_sale',
      `/choices/${choiceId}/products`,
      `/users/${owner.id}/favorites`,
    ];
    for (const path of paths) {
      const english = await get(path, { 'accept-language': 'en' });
      const plain = await get(path);
      for (const { status, headers } of [english, plain])
        expect([path, status, headers.get('vary')]).toEqual([path, 200, expect.stringMatching(/accept-language/i)]);
      expect([path, JSON.stringify(english.body)]).toEqual([path, expect.not.stringMatching(/マグカップ|ホワイト/)]);
      expect([path, JSON.stringify(plain.body)]).toEqual([path, expect.not.stringMatching(/"(Mug|White)"/)]);
    }
  });

  it('are in the language of a write, whose warnings are English by default', async () => {
    const path = `/materials/${(await get(`/products/${productId}`)).body.products.material.id}`;
    const change = (headers: Record<string, string>) => api('PUT', path, { token: owner.apiKey, body: {}, headers });
    const names = ({ body }: { body: { products: { item: { humanizeName: string } }[] } }) =>
      body.products.map(({ item }) => item.humanizeName);
    expect(names(await change({}))).toEqual(['マグカップ']);
    expect(names(await change({ 'accept-language': 'en' }))).toEqual(['Mug']);
    expect(names(await get(path, { 'accept-language': 'en' }))).toEqual(['Mug']);
  });

  it.each(['/items', '/categories', '/products?limit=3'])(
    'have an entity tag in each language: GET %s',
    async (path) => {
      const tagOf = async (language: string) => (await get(path, { 'accept-language': language })).headers.get('etag')!;
      const [japanese, english] = [await tagOf('ja'), await tagOf('en')];
      expect(english).not.toBe(japanese);
      const statusOf = async (language: string, etag: string) => {
        const headers = { 'accept-language': language, 'if-none-match': etag };
        const { status, headers: its } = await get(path, headers);
        expect(its.get('vary')).toMatch(/accept-language/i);
        return status;
      };
      expect(await Promise.all([statusOf('ja', japanese), statusOf('en', english)])).toEqual([304, 304]);
      expect(await Promise.all([statusOf('ja', english), statusOf('en', japanese)])).toEqual([200, 200]);
    },
  );
});
