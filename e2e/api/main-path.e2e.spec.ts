import sharp from 'sharp';
import {
  ActivityListResponse,
  FavoriteCreateResponse,
  ItemListResponse,
  MaterialListResponse,
  MaterialResponse,
  ProductListResponse,
  ProductResponse,
} from '#contracts';
import { artwork } from '../support/artwork.js';
import { api, call, eventually, newUser, type User } from '../support/shop.js';

/** Returns the mean color of a part of an image. `stats()` of sharp would read the whole image. */
async function meanColor(bytes: Buffer, part: { left: number; top: number; width: number; height: number }) {
  const { data, info } = await sharp(bytes).extract(part).raw().toBuffer({ resolveWithObject: true });
  const sums = Array.from({ length: info.channels }, () => 0);
  data.forEach((value, index) => (sums[index % info.channels]! += value));
  return sums.map((sum) => sum / (info.width * info.height));
}

describe('an uploaded image', () => {
  let creator: User;
  let fan: User;
  let items: any[];
  let created: any;
  let products: any[];

  const item = (name: string) => items.find((it) => it.name === name);

  beforeAll(async () => {
    [creator, fan] = await Promise.all([newUser(), newUser()]);
    const list = await api('GET', '/items', { token: creator.apiKey });
    expect(list.status).toBe(200);
    items = ItemListResponse.parse(list.body).items;
    const black = item('hoodie').variants.find((it: any) => it.color.name === 'black');
    const response = await api('POST', '/materials', {
      token: creator.apiKey,
      body: {
        texture: await artwork(),
        title: '灯台 Lighthouse',
        price: 300,
        products: [
          { itemId: item('t-shirt').id, published: true },
          { itemId: item('mug').id, published: true },
          { itemId: item('full-graphic-t-shirt').id, published: true, resizeMode: 'cover' },
          { itemId: item('hoodie').id, exemplaryItemVariantId: black.id },
        ],
      },
    });
    expect(response.status).toBe(200);
    created = response.body;
    products = created.products;
  });

  it('becomes a material and a product per item, valid against the contract', () => {
    expect(() => MaterialResponse.parse(created)).not.toThrow();
    expect(created.material).toMatchObject({
      title: '灯台 Lighthouse',
      description: null,
      price: 300,
      priceWithTax: 330,
      violation: false,
      published: true,
      originalWidth: 600,
      originalHeight: 800,
      user: { id: creator.id, name: creator.name },
    });
    expect(created.material.dominantRgb).toMatch(/^#2040d\d$/);
    expect(products.map((it) => it.item.name).sort()).toEqual(['full-graphic-t-shirt', 'hoodie', 'mug', 't-shirt']);
  });

  it('has the price of variant, print place and margin, with tax rounded down', () => {
    for (const product of products) {
      const place = product.sampleItemVariant.printPlaces.find(
        (it: any) => it.place === product.item.defaultPrintPlace,
      );
      const net = product.sampleItemVariant.price + 300 + place.price;
      expect(product.price).toBe(net);
      expect(product.priceWithTax).toBe(Math.floor((net * 110) / 100));
      expect(product.discountedPriceWithTax).toBe(product.priceWithTax);
    }
  });

  it('has the requested representative variant', () => {
    const hoodie = products.find((it) => it.item.name === 'hoodie');
    expect(hoodie.sampleItemVariant.color.name).toBe('black');
    expect(hoodie.published).toBe(false);
  });

  it('has pages at the URLs of its published products, in each language', async () => {
    const headers = { accept: 'text/html', 'accept-language': 'ja' };
    for (const { published, title, url, sampleUrl } of products) {
      const page = await call('GET', sampleUrl, { headers });
      expect([page.status, page.body.includes(title)]).toEqual(published ? [200, true] : [404, false]);
      const template = await call('GET', url, { headers });
      if (published) expect(template.headers.get('location')).toBe(new URL(sampleUrl).pathname);
      else expect(template.status).toBe(404);
    }
    const [shirt] = products.filter((it) => it.item.name === 't-shirt');
    const english = await call('GET', shirt.sampleUrl, { headers: { ...headers, 'accept-language': 'en' } });
    expect(english.body).toContain('<h1>灯台 Lighthouse Standard T-shirt</h1>');
  });

  it('has its published products and, once, its creator in the sitemaps', async () => {
    const index = await call('GET', '/sitemap.xml');
    const urls = [...index.body.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url);
    const sitemaps = (await Promise.all(urls.map((url) => call('GET', url)))).map(({ body }) => body).join('');
    for (const { published, sampleUrl } of products)
      expect([sampleUrl, sitemaps.includes(`<loc>${sampleUrl}</loc>`)]).toEqual([sampleUrl, published]);
    expect(sitemaps.split(`/${creator.name}</loc>`)).toHaveLength(2);
  });

  it('is in the lists, newest first, unpublished products for the owner only', async () => {
    const mine = await api('GET', `/products?userId=${creator.id}&limit=50`, { token: creator.apiKey });
    expect(() => ProductListResponse.parse(mine.body)).not.toThrow();
    expect(mine.body.products).toHaveLength(4);
    const theirs = await api('GET', `/products?userName=${creator.name}`, { token: fan.apiKey });
    expect(theirs.body.products.map((it: any) => it.item.name)).not.toContain('hoodie');
    expect(theirs.body.products).toHaveLength(3);
    const one = await api('GET', `/products?materialId=${created.material.id}&limit=1`, { token: fan.apiKey });
    expect(one.body.meta.hasNext).toBe(true);
    const materials = await api('GET', '/materials', { token: creator.apiKey });
    expect(() => MaterialListResponse.parse(materials.body)).not.toThrow();
    expect(materials.body.materials.map((it: any) => it.id)).toEqual([created.material.id]);
  });

  it('is returned with all variants, as product and as products, and supports conditional requests', async () => {
    const path = `/products/${products[0].id}`;
    const response = await api('GET', path, { token: fan.apiKey });
    expect(() => ProductResponse.parse(response.body)).not.toThrow();
    expect(response.body.product).toEqual(response.body.products);
    expect(response.body.products.itemVariants.length).toBeGreaterThan(1);
    const etag = response.headers.get('etag')!;
    expect(etag).toMatch(/^"[^"]+"$/);
    const again = await api('GET', path, { token: fan.apiKey, headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  it('hides an unpublished product from others', async () => {
    const hoodie = products.find((it) => it.item.name === 'hoodie');
    expect((await api('GET', `/products/${hoodie.id}`, { token: fan.apiKey })).status).toBe(404);
    expect((await api('GET', `/products/${hoodie.id}`, { token: creator.apiKey })).status).toBe(200);
  });

  describe('as product images', () => {
    const bytesOf = async (url: string) => {
      const response = await fetch(url);
      expect(response.status).toBe(200);
      return Buffer.from(await response.arrayBuffer());
    };
    const filled = (template: string, size: string, rest = '/s/white', angle = '') =>
      template.replace('{width}x{height}', size).replace('/{size}/{color}', rest).replace('[/angle]', angle);

    it('returns every published image on the first request', async () => {
      for (const product of products) {
        for (const url of [product.sampleImageUrl, product.pngSampleImageUrl, ...product.sampleImageUrls]) {
          const { width, height, format } = await sharp(await bytesOf(url)).metadata();
          expect([width, height, format]).toEqual([500, 500, url.includes('.webp') ? 'webp' : 'png']);
        }
      }
    });

    it('renders another size, color and format on request', async () => {
      const shirt = products.find((it) => it.item.name === 't-shirt');
      const url = filled(shirt.imageUrl, '323x323', '/m/black').replace('.webp', '.jpg');
      const { width, format } = await sharp(await bytesOf(url)).metadata();
      expect([width, format]).toEqual([323, 'jpeg']);
      const cloth = await meanColor(await bytesOf(url), { left: 160, top: 262, width: 4, height: 4 });
      expect(cloth.every((channel) => channel < 90)).toBe(true);
    });

    it('prints upright: the red corner is at the upper left of the chest', async () => {
      const shirt = products.find((it) => it.item.name === 't-shirt');
      const { data, info } = await sharp(await bytesOf(filled(shirt.imageUrl, '765x765', '/s/white', '/front')))
        .raw()
        .toBuffer({ resolveWithObject: true });
      const centre = { red: { x: 0, y: 0, n: 0 }, blue: { x: 0, y: 0, n: 0 } };
      for (let y = 0; y < info.height; y += 1)
        for (let x = 0; x < info.width; x += 1) {
          const [r, g, b] = data.subarray((y * info.width + x) * info.channels) as unknown as number[];
          const ink =
            r! > 120 && g! < 80 && b! < 80 ? centre.red : b! > 120 && r! < 80 && g! < 110 ? centre.blue : null;
          if (ink) Object.assign(ink, { x: ink.x + x, y: ink.y + y, n: ink.n + 1 });
        }
      const { red, blue } = centre;
      expect(red.n).toBeGreaterThan(2_000);
      expect(blue.n / red.n).toBeGreaterThan(2.5);
      expect(blue.n / red.n).toBeLessThan(3.5);
      expect(red.x / red.n).toBeLessThan(blue.x / blue.n - 15);
      expect(red.y / red.n).toBeLessThan(blue.y / blue.n - 15);
    });

    it('are cacheable without expiry and support conditional requests', async () => {
      const url = products[0].sampleImageUrl;
      const response = await fetch(url);
      await response.arrayBuffer();
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable, s-maxage=3600');
      const etag = response.headers.get('etag')!;
      expect(etag).toMatch(/^"[\w-]+"$/);
      expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
      const head = await fetch(url, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, response.headers.get('content-length')]);
    });

    it('are not found with an invalid signature, an unsupported size or an unknown color', async () => {
      const { sampleImageUrl: url, imageUrl } = products[0];
      for (const wrong of [
        url.replace(/h=./, 'h=x'),
        url.replace(/\?.*/, ''),
        url.replace('500x500', '501x501'),
        filled(imageUrl, '500x500', '/s/vantablack'),
        filled(imageUrl, '500x500', '/s/white', '/below'),
      ])
        expect((await call('GET', wrong)).status).toBe(404);
    });

    it('show the blank item with printed=false', async () => {
      const shirt = products.find((it) => it.item.name === 't-shirt');
      const blank = await bytesOf(shirt.sampleImageUrl.replace('printed=true', 'printed=false'));
      const [red, , blue] = await meanColor(blank, { left: 200, top: 200, width: 60, height: 60 });
      expect(Math.abs(red! - blue!)).toBeLessThan(8);
    });
  });

  it('creates an activity for its creator when all images are rendered', async () => {
    const { body } = await eventually(
      () => api('GET', '/activities/unreads', { token: creator.apiKey }),
      (response) => response.body.unreads >= 1,
    );
    expect(body).toEqual({ unreads: 1 });
    const list = await api('GET', '/activities', { token: creator.apiKey });
    expect(() => ActivityListResponse.parse(list.body)).not.toThrow();
    expect(list.body.activities[0]).toMatchObject({ eventType: 'material', eventAction: 'render', event: null });
    expect(list.body.activities[0].message).toContain('灯台 Lighthouse');
    expect((await api('GET', '/activities/unreads', { token: creator.apiKey })).body).toEqual({ unreads: 0 });
  });

  it('is favorited, and its creator gets an activity in their language, without an e-mail address', async () => {
    const response = await api('POST', `/products/${products[0].id}/favorites`, {
      token: fan.apiKey,
      body: { count: 3 },
    });
    expect(response.status).toBe(201);
    expect(() => FavoriteCreateResponse.parse(response.body)).not.toThrow();
    expect(response.body).toMatchObject({ favorite: { count: 3 }, meta: { totalCount: 3 } });
    await eventually(
      () => api('GET', '/activities/unreads', { token: creator.apiKey }),
      ({ body }) => body.unreads === 1,
    );
    const headers = { 'accept-language': 'ja' };
    const { body } = await api('GET', '/activities?limit=1', { token: creator.apiKey, headers });
    expect(() => ActivityListResponse.parse(body)).not.toThrow();
    const [activity] = body.activities;
    expect(activity).toMatchObject({
      eventType: 'favorite',
      eventAction: 'provide',
      sender: { id: fan.id, name: fan.name },
      receiver: { id: creator.id },
    });
    expect(activity.message).toMatch(/[ぁ-ん]/);
    expect(JSON.stringify(body)).not.toContain('@example.com');
    expect((await api('GET', '/activities', { token: fan.apiKey })).body).toEqual({ activities: [] });
  });

  it('is favorited with an empty body, as existing clients do', async () => {
    const path = `/products/${products[1].id}/favorites`;
    const response = await api('POST', path, { token: fan.apiKey, headers: { 'content-type': 'application/json' } });
    expect([response.status, response.body.favorite.count]).toEqual([201, 1]);
  });

  it('cannot be deleted by other users', async () => {
    const response = await api('DELETE', `/materials/${created.material.id}`, { token: fan.apiKey });
    expect([response.status, response.body.code]).toEqual([403, 'material.not-owned']);
  });

  it('is deleted with its products and images', async () => {
    const response = await api('DELETE', `/materials/${created.material.id}/`, { token: creator.apiKey });
    expect([response.status, response.body]).toEqual([204, '']);
    expect((await api('GET', `/products/${products[0].id}`, { token: creator.apiKey })).status).toBe(404);
    expect((await api('GET', '/materials', { token: creator.apiKey })).body.materials).toEqual([]);
    expect((await api('DELETE', `/materials/${created.material.id}`, { token: creator.apiKey })).status).toBe(404);
    await eventually(
      async () => (await fetch(products[0].sampleImageUrl)).status,
      (status) => status === 404,
    );
  });
});
