import { type Language, type PrintWarning, type ResizeMode } from '#contracts';
import { type CatalogItem } from '../items/catalog.snapshot.js';
import { type Artwork, type ProductPrint } from '../products/product.rules.js';
import { phoneCase, shirt } from '../testing/catalog-fixture.js';
import { scaledSize, dpiOf, type ArtworkLayout, upscalingFactor } from './artwork-layout.rules.js';
import { printWarnings, findWarningCodes } from './print-warning.rules.js';

const artwork = (width: number, height: number, dominantRgb: string | null = '#274b6d'): Artwork => ({
  width,
  height,
  dominantRgb,
});

/** A place of 254 x 508 mm or 10 x 20 inches: 150 dpi are 1500 x 3000 pixels. */
const poster = {
  pixels: { width: 1500, height: 3000 },
  millimetres: { width: 254, height: 508 },
};
/**
 * The same place, printed with more than 150 dpi, so that an image can be both sharp and upscaled.
 */
const finePoster = { ...poster, pixels: { width: 2000, height: 4000 } };

const layout = (width: number, height: number, more: Partial<ArtworkLayout> = {}): ArtworkLayout => ({
  artwork: artwork(width, height),
  area: poster,
  mode: 'contain',
  ...more,
});
const codes = (...of: Parameters<typeof layout>) => findWarningCodes(layout(...of));

describe('findWarningCodes', () => {
  it('warns below 150 dpi, and not at 150', () => {
    expect(dpiOf(layout(1500, 3000))).toBeCloseTo(150, 9);
    expect(codes(1500, 3000)).toEqual([]);
    expect(dpiOf(layout(1499, 2998))).toBeCloseTo(149.9, 9);
    expect(codes(1499, 2998)).toEqual(['low-resolution', 'upscaled']);
    expect(codes(1499, 2998, { area: { ...poster, pixels: { width: 10, height: 20 } } })).toEqual(['low-resolution']);
  });

  it('warns of fewer pixels than the print has, even if the image is sharp', () => {
    expect(codes(2000, 4000, { area: finePoster })).toEqual([]);
    expect(codes(1999, 3999, { area: finePoster })).toEqual(['upscaled']);
    expect(codes(1500, 3000, { area: finePoster })).toEqual(['upscaled']);
  });

  it('requires the pixels of the limiting side with contain', () => {
    expect(codes(1500, 750)).toEqual([]);
    expect(codes(1499, 750)).toEqual(['low-resolution', 'upscaled']);
    expect(codes(300, 3000)).toEqual([]);
    expect(codes(300, 2999)).toEqual(['low-resolution', 'upscaled']);
  });

  it('requires the pixels of both sides with cover, and warns of cropping', () => {
    const mode = 'cover';
    expect(codes(1500, 3000, { mode })).toEqual([]);
    expect(codes(1500, 6000, { mode })).toEqual(['cropped']);
    expect(codes(3000, 3000, { mode })).toEqual(['cropped']);
    expect(codes(3000, 1500, { mode })).toEqual(['low-resolution', 'upscaled', 'cropped']);
    expect(codes(3000, 6000, { mode })).toEqual([]);
  });

  it('tolerates cropping of 1 %, for rounded areas', () => {
    const coverCodes = (width: number) => codes(width, 20_000, { mode: 'cover' });
    expect(coverCodes(10_101)).toEqual([]);
    expect(coverCodes(10_102)).toEqual(['cropped']);
  });

  it('never warns of cropping with contain', () => {
    expect(codes(9_000, 3_000)).toEqual([]);
  });

  it('accepts a single pixel', () => {
    expect(codes(1, 1)).toEqual(['low-resolution', 'upscaled']);
    expect(codes(1, 1, { mode: 'cover' })).toEqual(['low-resolution', 'upscaled', 'cropped']);
  });

  it('warns of full transparency only, without other warnings', () => {
    for (const mode of ['contain', 'cover'] as const)
      for (const transparent of [artwork(1, 1, null), artwork(1500, 3000, null), artwork(9000, 3000, null)])
        expect(codes(1, 1, { mode, artwork: transparent })).toEqual(['fully-transparent']);
  });

  it('rounds the recommended size to whole pixels despite floating-point errors', () => {
    expect((333 * 3_276) / 333).toBe(3_276);
    expect(333 * (3_276 / 333)).toBeGreaterThan(3_276);
    expect(scaledSize({ width: 333, height: 111 }, 3_276 / 333)).toEqual({ width: 3_276, height: 1_092 });
  });

  it('has no upscaling warning at the recommended size, and one at a pixel less', () => {
    const modes: ResizeMode[] = ['contain', 'cover'];
    const areas = [
      poster,
      finePoster,
      { pixels: { width: 1616, height: 3276 }, millimetres: { width: 73.5, height: 149 } },
    ];
    for (const area of areas)
      for (const mode of modes)
        for (const [width, height] of [
          [1, 1],
          [640, 480],
          [333, 1000],
          [1499, 2998],
          [7, 5],
        ] as const) {
          const sent = layout(width, height, { area, mode });
          const { width: fullWidth, height: fullHeight } = scaledSize(sent.artwork, upscalingFactor(sent));
          expect(codes(fullWidth, fullHeight, { area, mode })).not.toContain('upscaled');
          expect(codes(fullWidth - 1, fullHeight - 1, { area, mode })).toContain('upscaled');
          const sharp = scaledSize(sent.artwork, 150 / dpiOf(sent));
          expect(codes(sharp.width, sharp.height, { area, mode })).not.toContain('low-resolution');
        }
  });
});

const warnings = (of: Artwork, item: CatalogItem, more: { resizeMode?: ResizeMode; prints?: ProductPrint[] } = {}) =>
  printWarnings(of, [{ item, resizeMode: null, prints: [], ...more }], 'en');
const summaryOf = (of: readonly PrintWarning[]) =>
  of.map(({ itemId, printPlace, code }) => `${itemId} ${printPlace} ${code}`);
const large = artwork(5_040, 6_720);
const print = (place: string, more: Partial<ProductPrint> = {}): ProductPrint => ({
  place,
  textureHash: 'a'.repeat(64),
  enabled: true,
  artwork: artwork(2_000, 1_000),
  ...more,
});

describe('printWarnings', () => {
  it('returns none for images without problems', () => {
    expect(warnings(large, shirt)).toEqual([]);
    expect(printWarnings(large, [], 'en')).toEqual([]);
  });

  it('states resolutions, sizes and shares in the messages', () => {
    expect(warnings(artwork(640, 480), shirt)).toEqual([
      {
        itemId: 1,
        printPlace: 'front',
        code: 'low-resolution',
        message:
          '54 dpi on the front (300 x 400 mm); 150 dpi or more prints sharply. Send at least 1772 x 1329 pixels.',
      },
      {
        itemId: 1,
        printPlace: 'front',
        code: 'upscaled',
        message: '640 x 480 pixels are enlarged for the front (300 x 400 mm). Send at least 2520 x 1890 pixels.',
      },
    ]);
    expect(warnings(artwork(5_040, 6_720, null), shirt)[0]!.message).toBe(
      'The image is fully transparent: nothing is printed on the front (300 x 400 mm).',
    );
    expect(warnings(artwork(6_720, 6_720), phoneCase)[0]!.message).toBe(
      '25 % of the width is cut off to cover the front (300 x 400 mm). Send an image of these proportions to lose nothing.',
    );
    expect(warnings(artwork(5_040, 13_440), phoneCase)[0]!.message).toMatch(/^50 % of the height is cut off/);
  });

  it('never rounds up to a sharp resolution or to 100 % cropped', () => {
    const [dpi] = warnings(artwork(1_771, 2_361), shirt);
    expect(dpi!.message).toMatch(/^149 dpi .* Send at least 1772 x 2362 pixels\.$/);
    expect(warnings(artwork(1, 1), shirt)[0]!.message).toMatch(/^< 1 dpi on .* 1772 x 1772 pixels\.$/);
    expect(warnings(artwork(1_000_000, 4_000), phoneCase)[0]!.message).toMatch(/^99 % of the width/);
  });

  it.each<[Language, RegExp]>([
    ['en', /^[\x20-\x7e]*the front \([\x20-\x7e]*\.$/],
    ['ja', /前面（300 x 400 mm）.*。$/],
  ])('has all messages in the language %s', (language, pattern) => {
    const item = { ...phoneCase, printPlaceDisplayNames: { front: '前面' } };
    const all = [artwork(100, 10), artwork(100, 10, null)].flatMap((it) =>
      printWarnings(it, [{ item, resizeMode: null, prints: [] }], language),
    );
    expect(all).toHaveLength(4);
    for (const { message } of all) expect(message).toMatch(pattern);
    expect(new Set(all.map(({ message }) => message)).size).toBe(4);
  });

  it('uses the resize mode of the product, and the default of the item without one', () => {
    const square = artwork(6_720, 6_720);
    expect(summaryOf(warnings(square, phoneCase))).toEqual(['4 front cropped']);
    expect(summaryOf(warnings(square, phoneCase, { resizeMode: 'cover' }))).toEqual(['4 front cropped']);
    expect(warnings(square, phoneCase, { resizeMode: 'contain' })).toEqual([]);
    expect(warnings(square, shirt)).toEqual([]);
  });

  it('checks the image of each printed side', () => {
    const prints = [print('back'), print('left', { enabled: false })];
    expect(summaryOf(warnings(large, shirt, { prints }))).toEqual(['1 back upscaled']);
    expect(summaryOf(warnings(artwork(640, 480), shirt, { prints: [print('front')] }))).toEqual(['1 front upscaled']);
    const transparent = print('back', { artwork: artwork(2_000, 1_000, null) });
    expect(summaryOf(warnings(large, shirt, { prints: [transparent] }))).toEqual(['1 back fully-transparent']);
  });

  it('omits prints without stored artwork, and places removed from the item', () => {
    const old = { place: 'back', textureHash: 'a'.repeat(64), enabled: true };
    expect(warnings(large, shirt, { prints: [old, print('hood')] })).toEqual([]);
  });

  it('returns warnings in the order of the products', () => {
    const products = [phoneCase, shirt].map((item) => ({ item, resizeMode: 'contain' as const, prints: [] }));
    expect(summaryOf(printWarnings(artwork(2_000, 2_000), products, 'en'))).toEqual([
      '4 front upscaled',
      '1 front upscaled',
    ]);
  });
});
