import sharp from 'sharp';
import { artwork } from '../support/artwork.js';
import { api, itemsByName, newUsers, type User } from '../support/shop.js';

describe('proof=true in an image URL', () => {
  let owner: User;
  let products: { readonly item: { readonly name: string }; readonly pngSampleImageUrl: string }[];

  beforeAll(async () => {
    [owner] = (await newUsers(1)) as [User];
    const items = await itemsByName(owner.apiKey);
    const { status, body } = await api('POST', '/materials', {
      token: owner.apiKey,
      body: {
        title: 'Proof',
        texture: await artwork(400, 400),
        products: ['can-badge', 'mug'].map((name) => ({ itemId: items[name].id, published: true })),
      },
    });
    expect(status).toBe(200);
    products = body.products;
  });

  const imageOf = async (itemName: string, query: string): Promise<Buffer> => {
    const { pngSampleImageUrl } = products.find((it) => it.item.name === itemName)!;
    const response = await fetch(`${pngSampleImageUrl}${query}`);
    expect([response.status, response.headers.get('cache-control')]).toEqual([
      ...[200, expect.stringContaining('immutable')],
    ]);
    return Buffer.from(await response.arrayBuffer());
  };
  /** Returns the color in the lower half of the artwork, which is #2040d0. */
  const colorOf = async (image: Buffer): Promise<number[]> => {
    const part = { left: 240, top: 300, width: 20, height: 20 };
    return [...(await sharp(image).extract(part).resize(1, 1).removeAlpha().raw().toBuffer())];
  };

  it('shows the colors that the profile prints: blue is less saturated', async () => {
    const [plain, proof] = await Promise.all(['', '&proof=true'].map((query) => imageOf('can-badge', query)));
    const [[, green, blue], [, proofGreen, proofBlue]] = [await colorOf(plain!), await colorOf(proof!)];
    expect(proofGreen! - green!).toBeGreaterThan(15);
    expect(blue! - proofBlue!).toBeGreaterThan(30);
    expect((await imageOf('can-badge', '&proof=true')).equals(proof!)).toBe(true);
    expect((await imageOf('can-badge', '&proof=false')).equals(plain!)).toBe(true);
    expect((await imageOf('can-badge', '')).equals(plain!)).toBe(true);
  });

  it('changes nothing on a print place in RGB, and no blank item', async () => {
    const [plain, proof] = await Promise.all(['', '&proof=true'].map((query) => imageOf('mug', query)));
    expect(proof!.equals(plain!)).toBe(true);
    const { pngSampleImageUrl } = products.find((it) => it.item.name === 'can-badge')!;
    const at = pngSampleImageUrl.replace('printed=true', 'printed=false');
    const blanks = await Promise.all([at, `${at}&proof=true`].map(async (url) => (await fetch(url)).arrayBuffer()));
    expect(Buffer.from(blanks[0]!).equals(Buffer.from(blanks[1]!))).toBe(true);
  });

  it('is the only other value than false', async () => {
    expect((await fetch(`${products[0]!.pngSampleImageUrl}&proof=1`)).status).toBe(404);
  });
});
