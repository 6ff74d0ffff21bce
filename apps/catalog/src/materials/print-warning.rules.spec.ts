import { type Language, type PrintTechnique, type PrintWarning, type ResizeMode } from '#contracts';
import { type CatalogItem } from '../items/catalog.snapshot.js';
import { type Artwork, type ProductPrint } from '../products/product.rules.js';
import { phoneCase, shirt } from '../testing/catalog-fixture.js';
import { completePlacement, placeArtwork } from '#placement';
import { scaledSize, dpiOf, type ArtworkLayout } from './artwork-layout.rules.js';
import { printWarnings, findWarningCode } from './print-warning.rules.js';

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

interface More {
  readonly mode?: ResizeMode;
  readonly artwork?: Artwork;
  readonly placement?: Parameters<typeof completePlacement>[0];
  readonly minDpi?: number;
}

function layout(width: number, height: number, more: More = {}): ArtworkLayout {
  const { mode = 'contain', artwork: its = artwork(width, height), placement = {} } = more;
  const target = { artwork: its, area: poster.millimetres, mode };
  const placed = placeArtwork(target, completePlacement(placement));
  return { artwork: its, area: poster, placed, minDpi: more.minDpi ?? 150 };
}
const code = (...of: Parameters<typeof layout>) => findWarningCode(layout(...of));

describe('findWarningCode', () => {
  it('warns below 150 dpi, and not at 150', () => {
    expect(dpiOf(layout(1500, 3000))).toBeCloseTo(150, 9);
    expect(code(1500, 3000)).toBeUndefined();
    expect(dpiOf(layout(1499, 2998))).toBeCloseTo(149.9, 9);
    expect(code(1499, 2998)).toBe('low-resolution');
  });

  it('warns below the resolution that the technique needs, and not at it', () => {
    expect(code(2000, 4000, { minDpi: 200 })).toBeUndefined();
    expect(code(1999, 3998, { minDpi: 200 })).toBe('low-resolution');
  });

  it('requires the pixels of the limiting side with contain', () => {
    expect(code(1500, 750)).toBeUndefined();
    expect(code(1499, 750)).toBe('low-resolution');
    expect(code(300, 3000)).toBeUndefined();
    expect(code(300, 2999)).toBe('low-resolution');
  });

  it('requires the pixels of both sides with cover, and warns of cropping', () => {
    const mode = 'cover';
    expect(code(1500, 3000, { mode })).toBeUndefined();
    expect(code(1500, 6000, { mode })).toBe('cropped');
    expect(code(3000, 3000, { mode })).toBe('cropped');
    expect(code(3000, 6000, { mode })).toBeUndefined();
  });

  it('names only the most serious problem', () => {
    expect(code(3000, 1500, { mode: 'cover' })).toBe('low-resolution');
  });

  it('uses the size at which the image is placed', () => {
    expect(code(750, 1500, { placement: { scale: 0.5 } })).toBeUndefined();
    expect(code(750, 1500, { placement: { scale: 0.5, rotation: 30 } })).toBeUndefined();
    expect(code(750, 1500, { placement: { scale: 0.51 } })).toBe('low-resolution');
    expect(code(1500, 3000, { placement: { scale: 2, repeat: 'grid' } })).toBe('low-resolution');
  });

  it('warns of an image that is placed across an edge, but not of repeats', () => {
    expect(code(1500, 3000, { placement: { x: 0.02 } })).toBe('cropped');
    expect(code(1500, 3000, { placement: { x: 0.009 } })).toBeUndefined();
    expect(code(1500, 3000, { placement: { x: 0.02, repeat: 'grid' } })).toBeUndefined();
    expect(code(1500, 3000, { placement: { scale: 0.5, x: 0.2 } })).toBeUndefined();
  });

  it('tolerates cropping of 1 %, for rounded areas', () => {
    const coverCode = (width: number) => code(width, 20_000, { mode: 'cover' });
    expect(coverCode(10_101)).toBeUndefined();
    expect(coverCode(10_102)).toBe('cropped');
  });

  it('never warns of cropping with contain', () => {
    expect(code(9_000, 3_000)).toBeUndefined();
  });

  it('accepts a single pixel', () => {
    expect(code(1, 1)).toBe('low-resolution');
    expect(code(1, 1, { mode: 'cover' })).toBe('low-resolution');
  });

  it('names full transparency before all other problems', () => {
    for (const mode of ['contain', 'cover'] as const)
      for (const transparent of [artwork(1, 1, null), artwork(1500, 3000, null), artwork(9000, 3000, null)])
        expect(code(1, 1, { mode, artwork: transparent })).toBe('fully-transparent');
  });

  it('names an animation before the problems of its first frame', () => {
    const animation = (width: number, animated: boolean) => ({ ...artwork(width, 3000), animated });
    expect(code(1500, 3000, { artwork: animation(1500, true) })).toBe('first-frame');
    expect(code(1500, 3000, { artwork: animation(1500, false) })).toBeUndefined();
    expect(code(150, 300, { artwork: animation(150, true) })).toBe('first-frame');
    expect(code(1, 1, { artwork: { ...artwork(1500, 3000, null), animated: true } })).toBe('fully-transparent');
  });

  it('rounds the recommended size to whole pixels despite floating-point errors', () => {
    expect((333 * 3_276) / 333).toBe(3_276);
    expect(333 * (3_276 / 333)).toBeGreaterThan(3_276);
    expect(scaledSize({ width: 333, height: 111 }, 3_276 / 333)).toEqual({ width: 3_276, height: 1_092 });
  });

  it('has no resolution warning at the recommended size, and one at a pixel less', () => {
    for (const mode of ['contain', 'cover'] as const)
      for (const [width, height] of [
        [1, 1],
        [640, 480],
        [333, 1000],
        [1499, 2998],
        [7, 5],
      ] as const) {
        const sent = layout(width, height, { mode });
        const sharp = scaledSize(sent.artwork, 150 / dpiOf(sent));
        expect(code(sharp.width, sharp.height, { mode })).not.toBe('low-resolution');
        expect(code(sharp.width - 1, sharp.height - 1, { mode })).toBe('low-resolution');
      }
  });
});

const warnings = (of: Artwork, item: CatalogItem, more: { resizeMode?: ResizeMode; prints?: ProductPrint[] } = {}) =>
  printWarnings(of, [{ item, resizeMode: null, placement: null, prints: [], ...more }], 'en');
const summaryOf = (of: readonly PrintWarning[]) =>
  of.map(({ itemId, printPlace, code }) => `${itemId} ${printPlace} ${code}`);
const large = artwork(5_040, 6_720);
const printing = (technique: PrintTechnique): CatalogItem['printing'] => ({
  front: {
    technique,
    dpi: 150,
    bleed: 0,
    safeZone: 5,
    colorSpace: 'rgb',
    whiteUnderbase: 'none',
    mirror: false,
  },
});
const print = (place: string, more: Partial<ProductPrint> = {}): ProductPrint => ({
  place,
  textureHash: 'a'.repeat(64),
  enabled: true,
  artwork: artwork(1_000, 500),
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
    ]);
    expect(warnings(artwork(5_040, 6_720, null), shirt)[0]!.message).toBe(
      'The image is fully transparent: nothing is printed on the front (300 x 400 mm).',
    );
    expect(warnings(artwork(6_720, 6_720), phoneCase)[0]!.message).toBe(
      '25 % of the image is cut off at the edges of the front (300 x 400 mm). ' +
        'Send an image of these proportions, or place it smaller, to lose nothing.',
    );
    expect(warnings(artwork(5_040, 13_440), phoneCase)[0]!.message).toMatch(/^50 % of the image is cut off/);
  });

  it.each<[PrintTechnique, number]>([
    ['direct-to-garment', 150],
    ['sublimation', 150],
    ['uv', 200],
    ['digital', 200],
    ['embroidery', 130],
  ])('states the resolution that %s needs', (technique, minDpi) => {
    const found = warnings(artwork(100, 100), { ...shirt, printing: printing(technique) });
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringContaining(`; ${minDpi} dpi or more prints sharply.`),
    ]);
  });

  it('does not warn of a large photograph on a phone case', () => {
    const area = { pixels: { width: 868, height: 1760 }, millimetres: { width: 73.5, height: 149 } };
    const item = { ...phoneCase, printAreas: { front: area }, printing: printing('uv') };
    expect(warnings(artwork(4_000, 3_000), item, { resizeMode: 'contain' })).toEqual([]);
    expect(summaryOf(warnings(artwork(4_000, 3_000), item))).toEqual(['4 front cropped']);
  });

  it('never rounds up to a sharp resolution or to 100 % cropped', () => {
    const [dpi] = warnings(artwork(1_771, 2_361), shirt);
    expect(dpi!.message).toMatch(/^149 dpi .* Send at least 1772 x 2362 pixels\.$/);
    expect(warnings(artwork(1, 1), shirt)[0]!.message).toMatch(/^< 1 dpi on .* 1772 x 1772 pixels\.$/);
    expect(warnings(artwork(1_000_000, 4_000), phoneCase)[0]!.message).toMatch(/^99 % of the image/);
  });

  it.each<[Language, RegExp]>([
    ['en', /^[\x20-\x7e]*the front \([\x20-\x7e]*\.$/],
    ['ja', /前面（300 x 400 mm）.*。$/],
  ])('has all messages in the language %s', (language, pattern) => {
    const item = { ...phoneCase, printPlaceDisplayNames: { front: '前面' } };
    const images = [artwork(100, 10), artwork(100_000, 10_000), artwork(100, 10, null)];
    const all = [...images, { ...artwork(100, 10), animated: true }].flatMap((it) =>
      printWarnings(it, [{ item, resizeMode: null, placement: null, prints: [] }], language),
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
    expect(summaryOf(warnings(large, shirt, { prints }))).toEqual(['1 back low-resolution']);
    expect(summaryOf(warnings(artwork(640, 480), shirt, { prints: [print('front')] }))).toEqual([
      '1 front low-resolution',
    ]);
    const transparent = print('back', { artwork: artwork(2_000, 1_000, null) });
    expect(summaryOf(warnings(large, shirt, { prints: [transparent] }))).toEqual(['1 back fully-transparent']);
  });

  it('omits prints without stored artwork, and places removed from the item', () => {
    const old = { place: 'back', textureHash: 'a'.repeat(64), enabled: true };
    expect(warnings(large, shirt, { prints: [old, print('hood')] })).toEqual([]);
  });

  it('returns warnings in the order of the products', () => {
    const products = [phoneCase, shirt].map((item) => ({
      item,
      resizeMode: 'contain' as const,
      placement: null,
      prints: [],
    }));
    expect(summaryOf(printWarnings(artwork(1_000, 1_000), products, 'en'))).toEqual([
      '4 front low-resolution',
      '1 front low-resolution',
    ]);
  });
});
