import { joinJson } from '#kernel';
import { Material, parseImagePath, Product, signDraft, signFilePath, type StoredPlacement } from '#contracts';
import { materialJson } from '../materials/material.json.js';
import { mug, jsonContext, productRow as row, settings, shirt } from '../testing/catalog-fixture.js';
import { productFields, type ProductParts, type ProductRow } from './product.json.js';

const parts = { item: shirt, variant: shirt.variants[0]!, discounts: [] };
const filePath = '12/1763629200-2000x1000.jpg';
const hash = signFilePath(filePath, settings.imageSigningSecret);
const parsedWith = (partsOfRow: ProductParts, over: Partial<ProductRow> = {}) =>
  JSON.parse(String(joinJson(['{', ...productFields({ ...row, ...over }, partsOfRow, jsonContext), '}'])));
const parsed = (over: Partial<ProductRow> = {}) => parsedWith(parts, over);

describe('productFields', () => {
  it('matches the schema of the contract, without additional keys', () => {
    expect(Product.strict().parse(parsed())).toEqual(parsed());
    expect(parsed({ publishedAt: null, resizeMode: null, materialPublishedAt: null, dominantRgb: null })).toEqual(
      Product.strict().parse(
        parsed({ publishedAt: null, resizeMode: null, materialPublishedAt: null, dominantRgb: null }),
      ),
    );
  });

  it('shows placements only of a product that has one', () => {
    const placed = { scale: 0.5, x: 0, y: 0.1, rotation: 15, repeat: 'none', spacing: 0 } as const;
    const stored = { ...placed, matrix: [1, 0, 0, 1, 0, 0], period: { x: 1, y: 1 } } satisfies StoredPlacement;
    const back = { place: 'back', textureHash: 'b'.repeat(64), enabled: true };
    const left = { ...back, place: 'left', enabled: false };
    expect(Object.keys(parsed({ prints: [back] }))).toEqual(Object.keys(parsed()));
    expect(parsed()).not.toHaveProperty('placement');
    expect(parsed()).not.toHaveProperty('sub_materials');
    const product = parsed({ placement: stored, prints: [back, { ...left, placement: stored }] });
    expect(Product.strict().parse(product)).toEqual(product);
    expect(product).toMatchObject({
      placement: placed,
      sub_materials: [
        { printSide: 'back', enabled: true, placement: null },
        { printSide: 'left', enabled: false, placement: placed },
      ],
    });
    expect(product.placement).toEqual(placed);
  });

  it('preserves every character of user input', () => {
    expect(parsed().title).toBe(`${row.materialTitle} スタンダードTシャツ`);
    expect(parsed().material.title).toBe(row.materialTitle);
    expect(parsed().material.user).toEqual({ id: 3, name: 'hanako', displayName: 'Hanako "H"', avatarUrl: null });
  });

  it('contains placeholders in URL templates', () => {
    expect(parsed().imageUrl).toBe(
      `https://shop.example.com/images/v1/{width}x{height}/t-shirt/{size}/{color}[/angle]/${filePath}.webp?h=${hash}&printed=true`,
    );
    expect(parsed().url).toBe('https://shop.example.com/hanako/12/t-shirt/{size}/{color}');
  });

  it('has sample images of the representative variant at the first essential angle, 500 pixels wide', () => {
    const image = (angle: string, format: string) =>
      `https://shop.example.com/images/v1/500x500/t-shirt/s/white/${angle}/${filePath}.${format}?h=${hash}&printed=true`;
    const product = parsed();
    expect(product.examplaryAngle).toBe('front');
    expect(product.sampleImageUrl).toBe(image('front', 'webp'));
    expect(product.pngSampleImageUrl).toBe(image('front', 'png'));
    expect(product.sampleImageUrls).toEqual(['front', 'back', 'left'].map((angle) => image(angle, 'webp')));
    expect(product.sampleUrl).toBe('https://shop.example.com/hanako/12/t-shirt/s/white');
    const path = new URL(product.sampleImageUrl).pathname.slice('/images/v1/'.length);
    expect(parseImagePath(path)).toMatchObject({ filePath, itemName: 't-shirt', angle: 'front', materialId: 12 });
  });

  it('signs images of an unpublished product for its item only', () => {
    const { imageUrl, sampleImageUrl, pngSampleImageUrl, sampleImageUrls } = parsed({ published: false });
    const draft = signDraft(filePath, 't-shirt', settings.imageSigningSecret);
    for (const url of [imageUrl, sampleImageUrl, pngSampleImageUrl, ...sampleImageUrls])
      expect(url).toContain(`?h=${draft}&`);
    expect(sampleImageUrl).toBe(parsed().sampleImageUrl.replace(hash, draft));
  });

  it('has new URLs for changed images', () => {
    const imageUrls = ({ imageUrl, sampleImageUrl, pngSampleImageUrl, sampleImageUrls }: Record<string, any>) => [
      imageUrl,
      sampleImageUrl,
      pngSampleImageUrl,
      ...sampleImageUrls,
    ];
    const before: string[] = imageUrls(parsed());
    expect(imageUrls(parsed({ imageRevision: 2 }))).toEqual(before.map((url) => `${url}&v=2`));
  });

  it('has no angle for an item without angles', () => {
    const plain = { item: { ...mug, essentialAngles: [] }, variant: mug.exemplaryVariant, discounts: [] };
    const product = parsedWith(plain);
    expect(product.examplaryAngle).toBeNull();
    expect(product.sampleImageUrl).toContain(`/500x500/mug/m/white/${filePath}.webp`);
  });

  it('adds the prices of printed places, including enabled sub-materials', () => {
    const textureHash = 'a'.repeat(64);
    const prints = [
      { place: 'back', enabled: true, textureHash },
      { place: 'left', enabled: false, textureHash },
    ];
    expect(parsed()).toMatchObject({
      price: 2500,
      priceWithTax: 2750,
      discountedPrice: 2500,
      discountedPriceWithTax: 2750,
    });
    expect(parsed({ prints })).toMatchObject({ price: 3000, priceWithTax: 3300 });
  });

  it('applies the best discount to the tax-included price', () => {
    const discounts = [
      { kind: 'percent', percent: 10 },
      { kind: 'amount', amount: 800 },
    ] as const;
    const product = parsedWith({ ...parts, discounts });
    const prices = { price: 2500, priceWithTax: 2750, discountedPrice: 1773, discountedPriceWithTax: 1950 };
    expect(Product.strict().parse(product)).toMatchObject(prices);
  });
});

describe('materialJson', () => {
  it('matches the schema of the contract, without additional keys', () => {
    const material = JSON.parse(materialJson(row, jsonContext));
    expect(Material.strict().parse(material)).toEqual(material);
    expect(material).toMatchObject({ id: 12, price: 300, priceWithTax: 330, uploadedAt: '2025-11-20 09:00:00 +0000' });
  });
});
