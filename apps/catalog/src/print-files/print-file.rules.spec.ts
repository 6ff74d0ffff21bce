import { type DomainError } from '#kernel';
import { placeArtwork } from '#placement';
import { catalog, phoneCase, shirt } from '../testing/catalog-fixture.js';
import { type PrintedProduct, type PrintSelection, printOrderOf } from './print-file.rules.js';

const artwork = { width: 3_000, height: 4_000, dominantRgb: '#274b6d' };
const printing = {
  technique: 'direct-to-garment',
  dpi: 300,
  bleed: 0,
  safeZone: 5,
  colorSpace: 'rgb',
  whiteUnderbase: 'dark-colors',
  mirror: false,
} as const;
const withPrinting = (item: typeof shirt, more: object = {}) => ({
  ...item,
  printing: Object.fromEntries(item.availablePrintPlaces.map((place) => [place, { ...printing, ...more }])),
});
const printed = withPrinting(shirt);
const snapshot = { ...catalog, item: (id: number) => (id === shirt.id ? printed : catalog.item(id)) };

const product: PrintedProduct = {
  id: 7,
  userId: 3,
  materialId: 12,
  materialTitle: 'Lighthouse',
  textureHash: 'a'.repeat(64),
  artwork,
  itemId: shirt.id,
  variantId: 11,
  resizeMode: null,
  placement: null,
  prints: [],
  updatedAt: new Date('2026-11-20T09:00:00Z'),
};
const back = { place: 'back', textureHash: 'b'.repeat(64), enabled: true, artwork };
const request: PrintSelection = {};
const order = (over: Partial<PrintedProduct> = {}, more: Partial<PrintSelection> = {}) =>
  printOrderOf({ ...product, ...over }, snapshot, { ...request, ...more });

function rejectionOf(work: () => unknown): [code: string, ...paths: string[]] {
  try {
    work();
  } catch (error) {
    const { kind, errors } = error as DomainError;
    return [kind.code, ...errors!.map(({ path }) => path)];
  }
  throw new Error('was accepted');
}

describe('printOrderOf', () => {
  it('has the representative variant and the matrix of the fit', () => {
    const { matrix, repeat, period } = placeArtwork({ artwork, area: { width: 300, height: 400 }, mode: 'contain' });
    expect(order()).toEqual({
      userId: 3,
      productId: 7,
      materialId: 12,
      title: 'Lighthouse スタンダードTシャツ',
      changedAt: '2026-11-20T09:00:00.000Z',
      item: 't-shirt',
      variant: { id: 11, size: 's', color: 'white', rgb: '#ffffff', isDark: false },
      places: [
        {
          place: 'front',
          format: 'png',
          textureHash: product.textureHash,
          placed: { matrix, repeat, period },
          area: { width: 300, height: 400 },
          printing,
        },
      ],
      warnings: [],
    });
  });

  it('has stored matrices, and the enabled prints only', () => {
    const placed = {
      matrix: [1, 0, 0, 1, 2, 3] as [number, number, number, number, number, number],
      repeat: 'none' as const,
      period: { x: 1, y: 1 },
    };
    const placement = { scale: 1, x: 0, y: 0, rotation: 0, spacing: 0, ...placed };
    const prints = [
      { ...back, placement },
      { ...back, place: 'left', enabled: false },
    ];
    const { places } = order({ placement, prints });
    expect(places.map(({ place, placed: its }) => [place, its])).toEqual([
      ['front', placed],
      ['back', placed],
    ]);
  });

  it('has the requested format, variant and places', () => {
    const { places, variant } = order({ prints: [back] }, { format: 'tiff', variantId: 12, places: ['back'] });
    expect(places.map(({ place, format }) => [place, format])).toEqual([['back', 'tiff']]);
    expect(variant).toMatchObject({ id: 12, color: 'black', isDark: true });
  });

  it('is the same for the same product', () => {
    expect(JSON.stringify(order({ prints: [back] }))).toBe(JSON.stringify(order({ prints: [back] })));
  });

  it('rejects an unknown variant and places without a print', () => {
    expect(rejectionOf(() => order({}, { variantId: 41, places: ['front', 'back', 'sleeve'] }))).toEqual([
      'item-variant.not-of-item',
      'body.variantId',
      'body.places.1',
      'body.places.2',
    ]);
  });

  it('has PDF by default for places that are printed in CMYK', () => {
    const cmyk = withPrinting(phoneCase, { colorSpace: 'cmyk' });
    const { places } = printOrderOf(
      { ...product, itemId: phoneCase.id, variantId: 41 },
      { ...catalog, item: () => cmyk },
      request,
    );
    expect(places.map(({ format }) => format)).toEqual(['pdf']);
  });
});
