import { type PlacementInput, type ResizeMode, type StoredPlacement } from '#contracts';
import { DomainError } from '#kernel';
import { completePlacement, placeArtwork } from '#placement';
import { type CatalogItem } from '../items/catalog.snapshot.js';
import { catalog, embroideredCap, mug, phoneCase, retiredSocks, shirt } from '../testing/catalog-fixture.js';
import { validateProductChanges, type ProductState, type WantedChange } from './product-change.rules.js';

const artwork = { width: 2_000, height: 1_000, dominantRgb: '#274b6d' };

const stored = (item: CatalogItem, more: Partial<ProductState> = {}): ProductState => ({
  id: item.id + 100,
  itemId: item.id,
  itemName: item.name,
  exemplaryVariantId: item.exemplaryVariant.id,
  published: false,
  resizeMode: null,
  placement: null,
  prints: [],
  imageRevision: 0,
  revision: 0,
  ...more,
});

const changesOf = (products: ProductState[], ...wanted: WantedChange[]) => {
  const { changed, created } = validateProductChanges(catalog, products, wanted, artwork);
  return {
    changed: changed.map(({ product, change }) => [product.id, change]),
    created: created.map((it) => it.product),
  };
};

function rejectionOf(products: ProductState[], ...wanted: WantedChange[]): { code: string; paths: string[] } {
  try {
    validateProductChanges(catalog, products, wanted, artwork);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.status).toBe(422);
    return { code: error.kind.code, paths: (error.errors ?? []).map(({ path }) => path) };
  }
  throw new Error('no error was thrown');
}

const variantPath = ['body.products.0.exemplaryItemVariantId'];

describe('validateProductChanges', () => {
  it('returns only the changed fields of an existing product', () => {
    const products = [stored(shirt), stored(phoneCase, { published: true, resizeMode: 'cover' })];
    expect(
      changesOf(
        products,
        { itemId: phoneCase.id, published: true, resizeMode: null },
        { itemId: shirt.id, published: true, exemplaryItemVariantId: 12, resizeMode: null },
      ),
    ).toEqual({
      changed: [
        [104, { resizeMode: null }],
        [101, { exemplaryVariantId: 12, published: true }],
      ],
      created: [],
    });
    expect(changesOf(products, { itemId: shirt.id, exemplaryItemVariantId: 11 }, { itemId: phoneCase.id })).toEqual({
      changed: [],
      created: [],
    });
  });

  it('creates a product of a new item, with the same defaults as a new material', () => {
    const plain = { exemplaryVariantId: 31, published: false, resizeMode: null, placement: null, prints: [] };
    expect(changesOf([stored(shirt)], { itemId: mug.id })).toEqual({
      changed: [],
      created: [{ ...plain, itemId: mug.id }],
    });
    const wanted = { itemId: phoneCase.id, exemplaryItemVariantId: 41, published: true, resizeMode: 'cover' } as const;
    expect(changesOf([], wanted).created).toEqual([
      {
        itemId: phoneCase.id,
        exemplaryVariantId: 41,
        published: true,
        resizeMode: 'cover',
        placement: null,
        prints: [],
      },
    ]);
  });

  it('determines the item by the variant without an item id', () => {
    expect(changesOf([stored(shirt)], { exemplaryItemVariantId: 12, published: true })).toEqual({
      changed: [[101, { exemplaryVariantId: 12, published: true }]],
      created: [],
    });
    expect(changesOf([], { exemplaryItemVariantId: 12 }).created).toMatchObject([
      { itemId: 1, exemplaryVariantId: 12 },
    ]);
    expect(rejectionOf([], { exemplaryItemVariantId: 999 })).toEqual({
      code: 'item-variant.not-of-item',
      paths: variantPath,
    });
  });

  it('rejects an unknown item, and a new product of a disabled or embroidery item', () => {
    const paths = ['body.products.0.itemId'];
    expect(rejectionOf([], { itemId: 999 })).toEqual({ code: 'item.not-found', paths });
    expect(rejectionOf([], { itemId: retiredSocks.id })).toEqual({ code: 'item.not-found', paths });
    expect(rejectionOf([], { itemId: embroideredCap.id })).toEqual({ code: 'item.embroidery', paths });
    expect(rejectionOf([], { exemplaryItemVariantId: 61 })).toEqual({ code: 'item.not-found', paths: variantPath });
  });

  it('publishes an existing product of a disabled or embroidery item', () => {
    for (const item of [retiredSocks, embroideredCap])
      expect(changesOf([stored(item)], { itemId: item.id, published: true }).changed).toEqual([
        [item.id + 100, { published: true }],
      ]);
  });

  it('accepts an unchanged disabled variant, and rejects a change to one', () => {
    const product = stored(shirt, { exemplaryVariantId: 13 });
    expect(changesOf([product], { itemId: shirt.id, exemplaryItemVariantId: 13, published: true }).changed).toEqual([
      [101, { published: true }],
    ]);
    const changeTo = (id: number) => rejectionOf([stored(shirt)], { itemId: shirt.id, exemplaryItemVariantId: id });
    expect(changeTo(13)).toEqual({ code: 'item-variant.disabled', paths: variantPath });
    expect(changeTo(31)).toEqual({ code: 'item-variant.not-of-item', paths: variantPath });
    expect(changeTo(999)).toEqual({ code: 'item-variant.not-of-item', paths: variantPath });
  });

  it('rejects a variant without a print place of the product', () => {
    const prints = (place: string) => [{ place, textureHash: 'a'.repeat(64), enabled: false }];
    const wanted = { itemId: shirt.id, exemplaryItemVariantId: 12 };
    expect(changesOf([stored(shirt, { prints: prints('back') })], wanted).changed).toHaveLength(1);
    expect(rejectionOf([stored(shirt, { prints: prints('left') })], wanted)).toEqual({
      code: 'print-place.not-of-item',
      paths: variantPath,
    });
  });

  it('rejects a disallowed resize mode, and accepts an unchanged one', () => {
    const cover = { itemId: mug.id, resizeMode: 'cover' } as const;
    const expected = { code: 'resize-mode.not-allowed', paths: ['body.products.0.resizeMode'] };
    expect(rejectionOf([stored(mug)], cover)).toEqual(expected);
    expect(rejectionOf([], cover)).toEqual(expected);
    expect(changesOf([stored(mug, { resizeMode: 'cover' })], cover).changed).toEqual([]);
  });

  it('rejects two entries of the same item, by item id or variant id', () => {
    const twice = [{ itemId: shirt.id }, { exemplaryItemVariantId: 12 }];
    const expected = { code: 'product.duplicate-item', paths: ['body.products.1.exemplaryItemVariantId'] };
    expect(rejectionOf([stored(shirt)], ...twice)).toEqual(expected);
    expect(rejectionOf([], ...twice)).toEqual(expected);
  });
});

it('reports all errors at once', () => {
  const wanted = [
    { itemId: shirt.id, exemplaryItemVariantId: 31, resizeMode: 'cover' as const },
    { itemId: 999 },
    { itemId: mug.id, resizeMode: 'cover' as const },
  ];
  expect(rejectionOf([stored(shirt)], ...wanted)).toEqual({
    code: 'resize-mode.not-allowed',
    paths: [
      'body.products.0.resizeMode',
      'body.products.0.exemplaryItemVariantId',
      'body.products.1.itemId',
      'body.products.2.resizeMode',
    ],
  });
});

describe('validateProductChanges with placements', () => {
  const place = (item: CatalogItem, given: PlacementInput, mode: ResizeMode = 'contain'): StoredPlacement => {
    const placement = completePlacement(given);
    const area = item.printAreas[item.defaultPrintPlace]!.millimetres;
    return { ...placement, ...placeArtwork({ artwork, area, mode }, placement) };
  };
  const half = place(shirt, { scale: 0.5 });
  const back = { place: 'back', textureHash: 'b'.repeat(64), enabled: true, artwork };

  it('stores a placement with its matrix, and removes it with null', () => {
    const change = { itemId: shirt.id, placement: { scale: 0.5 } };
    expect(changesOf([stored(shirt)], change).changed).toEqual([[101, { placement: half }]]);
    expect(changesOf([stored(shirt, { placement: half })], { itemId: shirt.id, placement: null }).changed).toEqual([
      [101, { placement: null }],
    ]);
  });

  it('changes nothing for an equal placement, or without one in the request', () => {
    const product = stored(shirt, { placement: half, prints: [{ ...back, placement: half }] });
    for (const more of [{}, { placement: { scale: 0.5, x: 0 } }, { resizeMode: 'contain' as const }])
      expect(changesOf([product], { itemId: shirt.id, ...more }).changed.map(([, change]) => change)).toEqual(
        'resizeMode' in more ? [{ resizeMode: 'contain' }] : [],
      );
  });

  it('replaces the whole placement', () => {
    const product = stored(shirt, { placement: half });
    const moved = { itemId: shirt.id, placement: { x: 0.1 } };
    expect(changesOf([product], moved).changed).toEqual([[101, { placement: place(shirt, { x: 0.1 }) }]]);
  });

  it('places images on other print places, and rejects places without an image', () => {
    const product = stored(shirt, { prints: [back] });
    const subMaterials = (printSide: string, placement: PlacementInput | null) => ({
      itemId: shirt.id,
      sub_materials: [{ printSide, placement }],
    });
    expect(changesOf([product], subMaterials('back', { scale: 0.5 })).changed).toEqual([
      [101, { prints: [{ ...back, placement: half }] }],
    ]);
    const placedBack = stored(shirt, { prints: [{ ...back, placement: half }] });
    expect(changesOf([placedBack], subMaterials('back', null)).changed).toEqual([[101, { prints: [back] }]]);
    const code = 'print-place.not-of-item';
    const path = 'body.products.0.sub_materials.0.printSide';
    expect(rejectionOf([], subMaterials('back', {}))).toEqual({ code, paths: [path] });
    const back2 = { printSide: 'back', placement: {} };
    const twice = { itemId: shirt.id, sub_materials: [back2, back2, { placement: {} }, { printSide: 'left' }] };
    expect(rejectionOf([product], twice)).toEqual({
      code,
      paths: ['body.products.0.sub_materials.1.printSide', 'body.products.0.sub_materials.2.printSide'],
    });
    expect(changesOf([product], { itemId: shirt.id, sub_materials: null }).changed).toEqual([]);
    expect(rejectionOf([product], subMaterials('left', { scale: 0.5 }))).toEqual({
      code: 'print-place.not-of-item',
      paths: ['body.products.0.sub_materials.0.printSide'],
    });
  });

  it('computes matrices again for another resize mode', () => {
    const product = stored(phoneCase, { placement: place(phoneCase, { x: 0.1 }, 'cover') });
    const contained = place(phoneCase, { x: 0.1 }, 'contain');
    expect(changesOf([product], { itemId: phoneCase.id, resizeMode: 'contain' }).changed).toEqual([
      [104, { resizeMode: 'contain', placement: contained }],
    ]);
    // Fewer than 10,000 repeats with cover, more with contain
    const tiny = stored(phoneCase, { placement: place(phoneCase, { repeat: 'grid', scale: 0.01 }, 'cover') });
    expect(rejectionOf([tiny], { itemId: phoneCase.id, resizeMode: 'contain' })).toEqual({
      code: 'placement.invalid',
      paths: ['body.products.0.resizeMode'],
    });
    expect(changesOf([product], { itemId: phoneCase.id, resizeMode: 'cover' }).changed).toEqual([
      [104, { resizeMode: 'cover' }],
    ]);
  });

  it('rejects placements that cannot be printed, also of new products', () => {
    const out = { placement: { x: 5 } };
    const wanted = [
      { itemId: shirt.id, ...out },
      { itemId: mug.id, placement: { repeat: 'grid', scale: 0.01 } },
    ] as const;
    expect(rejectionOf([stored(shirt)], ...wanted)).toEqual({
      code: 'placement.invalid',
      paths: ['body.products.0.placement.x', 'body.products.1.placement.scale'],
    });
    expect(rejectionOf([stored(shirt)], { itemId: shirt.id, placement: { scale: 'x', offsetY: 1e9 } }).paths).toEqual([
      'body.products.0.placement.scale',
      'body.products.0.placement.offsetY',
    ]);
    const unknown = { place: 'back', textureHash: 'b'.repeat(64), enabled: true };
    const change = { itemId: shirt.id, sub_materials: [{ printSide: 'back', placement: {} }] };
    expect(rejectionOf([stored(shirt, { prints: [unknown] })], change).paths).toEqual([
      'body.products.0.sub_materials.0.placement.scale',
    ]);
  });
});
