import { sharp } from '#images';
import { itemsByName, newMaterial, newUser, type User } from '../support/shop.js';

describe('a worn item', () => {
  let user: User;
  let items: Record<string, any>;

  beforeAll(async () => {
    user = await newUser();
    items = await itemsByName(user.apiKey);
  });

  /** Returns the pixels of an image as RGB bytes. */
  async function pixelsOf(url: string, type: string): Promise<Buffer> {
    const response = await fetch(url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    return sharp(Buffer.from(await response.arrayBuffer()))
      .removeAlpha()
      .raw()
      .toBuffer();
  }

  it('has an image in each format, which shows the item without a print', async () => {
    const { wearingImageUrls } = items['t-shirt'];
    expect(Object.keys(wearingImageUrls)).toEqual(['png', 'webp']);
    const [png, webp] = await Promise.all(
      ['png', 'webp'].map((format) => pixelsOf(wearingImageUrls[format], `image/${format}`)),
    );
    expect(webp!.length).toBe(png!.length);
    const product = await newMaterial(user, { products: [{ itemId: items['t-shirt'].id, published: true }] });
    const { sampleImageUrl } = product.products[0];
    const blank = sampleImageUrl.replace('500x500', '765x765').replace('/front/', '/front-wearing/');
    const unprinted = blank.replace('.webp', '.png').replace('printed=true', 'printed=false');
    expect((await pixelsOf(unprinted, 'image/png')).equals(png!)).toBe(true);
  });

  it('is an angle of its products like any other', async () => {
    const { 't-shirt': shirt } = items;
    expect(shirt.extraAngles).toContain('front-wearing');
    expect(shirt.essentialAngles).not.toContain('front-wearing');
    expect(shirt.printPlaceForExtraAngles['t-shirt']['front-wearing']).toBe('front');
    const { products } = await newMaterial(user, { products: [{ itemId: shirt.id, published: true }] });
    const { imageUrl, sampleImageUrls, item } = products[0];
    expect(sampleImageUrls).toHaveLength(2);
    expect(item.wearingImageUrls).toEqual(shirt.wearingImageUrls);
    const sized = imageUrl.replace('{width}x{height}', '500x500').replace('{size}/{color}', 'm/black');
    const [front, worn] = await Promise.all(
      ['/front', '/front-wearing'].map((angle) => pixelsOf(sized.replace('[/angle]', angle), 'image/webp')),
    );
    expect(worn!.equals(front!)).toBe(false);
  });

  it('is missing for items that are not worn', async () => {
    expect(items.mug.wearingImageUrls).toEqual({});
    const url = items['t-shirt'].wearingImageUrls.png.replace('t-shirt', 'mug');
    expect((await fetch(url)).status).toBe(404);
  });
});
