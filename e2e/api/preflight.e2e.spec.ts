import sharp from 'sharp';
import { PreflightResponse } from '#contracts';
import { eventually } from '#testing';
import { api, itemsByName, newMaterial, newUsers, type User } from '../support/shop.js';

describe('the preflight of a product', () => {
  let owner: User;
  let other: User;
  let items: Record<string, any>;

  beforeAll(async () => {
    [owner, other] = (await newUsers(2)) as [User, User];
    items = await itemsByName(owner.apiKey);
  });

  const image = async (width: number, height: number, background: string) => {
    const bytes = await sharp({ create: { width, height, channels: 4, background } })
      .png()
      .toBuffer();
    return `data:image/png;base64,${bytes.toString('base64')}`;
  };
  /** Reads a report. While other tests load the machine, it is requested again after a 503. */
  const preflight = (productId: number, user = owner, language = 'en') =>
    eventually('a report', async () => {
      const options = { token: user.apiKey, headers: { 'accept-language': language } };
      const response = await api('GET', `/products/${productId}/preflight`, options);
      return response.status !== 503 && response;
    });

  it('reports on all printed places, for the owner only', async () => {
    const sub_materials = [{ printSide: 'back', texture: await image(1_000, 1_300, '#ffffff') }];
    const products = [{ itemId: items['t-shirt'].id, published: true, sub_materials }];
    const created = await newMaterial(owner, { texture: await image(2_520, 3_360, '#1f4fae'), products });
    const { id } = created.products[0];
    const { status, body } = await preflight(id);
    expect([status, body.errors]).toEqual([200, undefined]);
    expect(PreflightResponse.strict().parse(body).preflight).toMatchObject({
      productId: id,
      places: [
        {
          place: 'front',
          technique: 'direct-to-garment',
          findings: [{ code: 'white-on-white', colors: ['royal-blue'] }, { code: 'outside-safe-zone' }],
        },
        {
          place: 'back',
          findings: [
            { code: 'low-resolution', limit: 150 },
            { code: 'white-on-white', colors: ['white'] },
            { code: 'outside-safe-zone' },
          ],
        },
      ],
      warnings: [
        { place: 'front', code: 'white-on-white' },
        { place: 'back', code: 'low-resolution' },
      ],
    });
    expect((await preflight(id, owner, 'ja')).body.preflight.warnings[1].message).toMatch(/^背面の解像度は84 dpi/);
    expect(await preflight(id, other)).toMatchObject({ status: 403, body: { code: 'product.not-owned' } });
  });

  it('finds blue that CMYK cannot print on a sticker', async () => {
    const products = [{ itemId: items.sticker.id }];
    const created = await newMaterial(owner, { texture: await image(700, 700, '#0000ff'), products });
    const { body } = await preflight(created.products[0].id);
    expect(body.preflight.places).toMatchObject([
      { outOfGamutShare: 1, findings: [{ code: 'outside-safe-zone' }, { code: 'out-of-gamut' }] },
    ]);
    expect(body.preflight.warnings).toEqual([]);
  });
});
