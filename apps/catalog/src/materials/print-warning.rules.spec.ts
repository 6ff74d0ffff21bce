import { type Language, type PrintWarning, type ResizeMode } from '#contracts';
import { type CatalogItem } from '../items/catalog.snapshot.js';
import { type Artwork, type ProductPrint } from '../products/product.rules.js';
import { phoneCase, shirt } from '../testing/catalog-fixture.js';
import { enlarged, dpiOf, type LaidArtwork, upscalingOf } from './laid-artwork.rules.js';
import { printWarnings, warningCodes } from './print-warning.rules.js';

const artwork = (width: number, height: number, dominantRgb: string | null = '#274b6d'): Artwork => ({
  width,
  height,
  dominantRgb,
});

/** A place of 254 x 508 mm, 10 x 20 inches: 150 dpi are 1500 x 3000 pixels. */
const poster = {
  pixels: { width: 1500, height: 3000 },
  millimetres: { width: 254, height: 508 },
};
/** The same place, printed with more than 150 dpi, so that an image may be sharp and enlarged. */
const finePoster = { ...poster, pixels: { width: 2000, height: 4000 } };

const laid = (width: number, height: number, more: Partial<LaidArtwork> = {}): LaidArtwork => ({
  artwork: artwork(width, height),
  area: poster,
  mode: 'contain',
  ...more,
});
const codes = (...of: Parameters<typeof laid>) => warningCodes(laid(...of));

describe('an image that is laid into a print area', () => {
  it('is warned of below 150 dpi, and not at 150', () => {
    expect(dpiOf(laid(1500, 3000))).toBeCloseTo(150, 9);
    expect(codes(1500, 3000)).toEqual([]);
    expect(dpiOf(laid(1499, 2998))).toBeCloseTo(149.9, 9);
    expect(codes(1499, 2998)).toEqual(['low-resolution', 'upscaled']);
    expect(codes(1499, 2998, { area: { ...poster, pixels: { width: 10, height: 20 } } })).toEqual(['low-resolution']);
  });

  it('is warned of with fewer pixels than the place is printed with, also when it is sharp', () => {
    expect(codes(2000, 4000, { area: finePoster })).toEqual([]);
    expect(codes(1999, 3999, { area: finePoster })).toEqual(['upscaled']);
    expect(codes(1500, 3000, { area: finePoster })).toEqual(['upscaled']);
  });

  it('needs the pixels of the side that it fills, when all of it is shown', () => {
    expect(codes(1500, 750)).toEqual([]);
    expect(codes(1499, 750)).toEqual(['low-resolution', 'upscaled']);
    expect(codes(300, 3000)).toEqual([]);
    expect(codes(300, 2999)).toEqual(['low-resolution', 'upscaled']);
  });

  it('needs the pixels of both sides, and loses what does not fit, when it covers', () => {
    const mode = 'cover';
    expect(codes(1500, 3000, { mode })).toEqual([]);
    expect(codes(1500, 6000, { mode })).toEqual(['cropped']);
    expect(codes(3000, 3000, { mode })).toEqual(['cropped']);
    expect(codes(3000, 1500, { mode })).toEqual(['low-resolution', 'upscaled', 'cropped']);
    expect(codes(3000, 6000, { mode })).toEqual([]);
  });

  it('may lose a hundredth, as areas of whole pixels do', () => {
    const cut = (width: number) => codes(width, 20_000, { mode: 'cover' });
    expect(cut(10_101)).toEqual([]);
    expect(cut(10_102)).toEqual(['cropped']);
  });

  it('is cropped in no other mode', () => {
    expect(codes(9_000, 3_000)).toEqual([]);
  });

  it('may be a single pixel', () => {
    expect(codes(1, 1)).toEqual(['low-resolution', 'upscaled']);
    expect(codes(1, 1, { mode: 'cover' })).toEqual(['low-resolution', 'upscaled', 'cropped']);
  });

  it('that nobody sees is warned of as such alone, however small it is and whatever is cut off', () => {
    for (const mode of ['contain', 'cover'] as const)
      for (const unseen of [artwork(1, 1, null), artwork(1500, 3000, null), artwork(9000, 3000, null)])
        expect(codes(1, 1, { mode, artwork: unseen })).toEqual(['fully-transparent']);
  });

  it('is asked for in whole pixels, also where a division ends beside them', () => {
    expect((333 * 3_276) / 333).toBe(3_276);
    expect(333 * (3_276 / 333)).toBeGreaterThan(3_276);
    expect(enlarged({ width: 333, height: 111 }, 3_276 / 333)).toEqual({ width: 3_276, height: 1_092 });
  });

  it('is large enough as it is asked for: neither a pixel too small nor a pixel too large', () => {
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
          const sent = laid(width, height, { area, mode });
          const { width: full, height: tall } = enlarged(sent.artwork, upscalingOf(sent));
          expect(codes(full, tall, { area, mode })).not.toContain('upscaled');
          expect(codes(full - 1, tall - 1, { area, mode })).toContain('upscaled');
          const sharp = enlarged(sent.artwork, 150 / dpiOf(sent));
          expect(codes(sharp.width, sharp.height, { area, mode })).not.toContain('low-resolution');
        }
  });
});

const warnings = (of: Artwork, item: CatalogItem, more: { resizeMode?: ResizeMode; prints?: ProductPrint[] } = {}) =>
  printWarnings(of, [{ item, resizeMode: null, prints: [], ...more }], 'en');
const told = (of: readonly PrintWarning[]) =>
  of.map(({ itemId, printPlace, code }) => `${itemId} ${printPlace} ${code}`);
const large = artwork(5_040, 6_720);
const print = (place: string, more: Partial<ProductPrint> = {}): ProductPrint => ({
  place,
  textureHash: 'a'.repeat(64),
  enabled: true,
  artwork: artwork(2_000, 1_000),
  ...more,
});

describe('the warnings of a material', () => {
  it('are none for images that print well', () => {
    expect(warnings(large, shirt)).toEqual([]);
    expect(printWarnings(large, [], 'en')).toEqual([]);
  });

  it('say numbers in a sentence', () => {
    expect(warnings(artwork(640, 480), shirt)).toEqual([
      {
        itemId: 1,
        printPlace: 'front',
        code: 'low-resolution',
        message: '54 dpi on the front of 300 x 400 mm; 150 dpi or more prints sharp. Send at least 1772 x 1329 pixels.',
      },
      {
        itemId: 1,
        printPlace: 'front',
        code: 'upscaled',
        message: '640 x 480 pixels are enlarged for the front of 300 x 400 mm. Send at least 2520 x 1890 pixels.',
      },
    ]);
    expect(warnings(artwork(5_040, 6_720, null), shirt)[0]!.message).toBe(
      'The image is fully transparent: nothing is printed on the front of 300 x 400 mm.',
    );
    expect(warnings(artwork(6_720, 6_720), phoneCase)[0]!.message).toBe(
      '25 % of the width is cut off to cover the front of 300 x 400 mm. Send an image of these proportions to lose nothing.',
    );
    expect(warnings(artwork(5_040, 13_440), phoneCase)[0]!.message).toMatch(/^50 % of the height is cut off/);
  });

  it('never say that something is sharp or all of it gone', () => {
    const [dpi] = warnings(artwork(1_771, 2_361), shirt);
    expect(dpi!.message).toMatch(/^149 dpi .* Send at least 1772 x 2362 pixels\.$/);
    expect(warnings(artwork(1, 1), shirt)[0]!.message).toMatch(/^< 1 dpi on .* 1772 x 1772 pixels\.$/);
    expect(warnings(artwork(1_000_000, 4_000), phoneCase)[0]!.message).toMatch(/^99 % of the width/);
  });

  it.each<[Language, RegExp]>([
    ['en', /^[\x20-\x7e]*the front of[\x20-\x7e]*\.$/],
    ['ja', /前面（300 x 400 mm）.*。$/],
  ])('are complete in the language %s', (language, pattern) => {
    const item = { ...phoneCase, printPlaceDisplayNames: { front: '前面' } };
    const all = [artwork(100, 10), artwork(100, 10, null)].flatMap((it) =>
      printWarnings(it, [{ item, resizeMode: null, prints: [] }], language),
    );
    expect(all).toHaveLength(4);
    for (const { message } of all) expect(message).toMatch(pattern);
    expect(new Set(all.map(({ message }) => message)).size).toBe(4);
  });

  it('follow the mode of the product, and that of the item where none is said', () => {
    const square = artwork(6_720, 6_720);
    expect(told(warnings(square, phoneCase))).toEqual(['4 front cropped']);
    expect(told(warnings(square, phoneCase, { resizeMode: 'cover' }))).toEqual(['4 front cropped']);
    expect(warnings(square, phoneCase, { resizeMode: 'contain' })).toEqual([]);
    expect(warnings(square, shirt)).toEqual([]);
  });

  it('look at the image of each side that is printed', () => {
    const prints = [print('back'), print('left', { enabled: false })];
    expect(told(warnings(large, shirt, { prints }))).toEqual(['1 back upscaled']);
    expect(told(warnings(artwork(640, 480), shirt, { prints: [print('front')] }))).toEqual(['1 front upscaled']);
    const unseen = print('back', { artwork: artwork(2_000, 1_000, null) });
    expect(told(warnings(large, shirt, { prints: [unseen] }))).toEqual(['1 back fully-transparent']);
  });

  it('leave out what nobody can say: an image that was not kept, and a place that the item has lost', () => {
    const old = { place: 'back', textureHash: 'a'.repeat(64), enabled: true };
    expect(warnings(large, shirt, { prints: [old, print('hood')] })).toEqual([]);
  });

  it('stand in the order of the products', () => {
    const products = [phoneCase, shirt].map((item) => ({ item, resizeMode: 'contain' as const, prints: [] }));
    expect(told(printWarnings(artwork(2_000, 2_000), products, 'en'))).toEqual([
      '4 front upscaled',
      '1 front upscaled',
    ]);
  });
});
