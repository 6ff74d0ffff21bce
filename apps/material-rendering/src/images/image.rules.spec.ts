import {
  blankKey,
  onDemandKey,
  imageUrl,
  parseImagePath,
  imageKey,
  type ImageRequest,
  type ImageSource,
  type PlacedArtwork,
} from '#contracts';
import { currentImage, renderSpecOf, isOutdated, imagesToPrepare, redefinedItems, weightOf } from './image.rules.js';

const texture = 'a'.repeat(64);
const backTexture = 'b'.repeat(64);

const shirt: ImageSource['products'][number] = {
  itemName: 't-shirt',
  revision: 0,
  published: true,
  resizeMode: 'contain',
  prints: [],
  defaultPrintPlace: 'front',
  cmykPlaces: [],
  colors: [
    { name: 'white', rgb: '#ffffff' },
    { name: 'black', rgb: '#000000' },
    { name: 'red', rgb: '#be1e2d' },
  ],
  sizes: ['s', 'm'],
  angles: ['front', 'back', 'left'],
  essentialAngles: ['front', 'back'],
  sample: { size: 'm', color: 'white', angle: 'front' },
};
const mug: ImageSource['products'][number] = {
  ...shirt,
  itemName: 'mug',
  resizeMode: 'contain',
  colors: [{ name: 'white', rgb: '#ffffff' }],
  sizes: ['one'],
  angles: ['left', 'right'],
  essentialAngles: ['right'],
  sample: { size: 'one', color: 'white', angle: 'left' },
};
const source: ImageSource = {
  materialId: 12,
  filePath: '12/1763629200-2000x1000.png',
  textureHash: texture,
  products: [shirt, mug],
};
const request: ImageRequest = {
  width: 500,
  height: 400,
  itemName: 't-shirt',
  size: 's',
  color: 'red',
  angle: 'back',
  materialId: 12,
  filePath: source.filePath,
  adjustment: '1.0+0.1-0.2',
  format: 'jpg',
  printed: true,
  proof: false,
  draft: false,
  revision: 0,
};

describe('renderSpecOf', () => {
  it('returns the color, the angle and the prints of the product', () => {
    expect(renderSpecOf(source, request)).toEqual({
      itemName: 't-shirt',
      angle: 'back',
      width: 500,
      height: 400,
      rgb: '#be1e2d',
      prints: [{ place: 'front', textureHash: texture }],
      resizeMode: 'contain',
      adjustment: '1.0+0.1-0.2',
      format: 'jpg',
    });
  });

  it('contains the placement of each print', () => {
    const placed: PlacedArtwork = { matrix: [1, 0, 0, 1, 2, 3], repeat: 'none', period: { x: 1, y: 1 } };
    const moved: PlacedArtwork = { ...placed, matrix: [1, 0, 0, 1, 4, 5] };
    const product = { ...shirt, placed, prints: [{ place: 'back', textureHash: backTexture, placed: moved }] };
    const placedSource = { ...source, products: [product] };
    expect(renderSpecOf(placedSource, request)?.prints).toEqual([
      { place: 'front', textureHash: texture, placed },
      { place: 'back', textureHash: backTexture, placed: moved },
    ]);
    expect(redefinedItems(source, placedSource)).toEqual(['t-shirt']);
  });

  it('contains the layers of an item that does not ship', () => {
    const withLayers = (layers: string | null): ImageSource => ({ ...source, products: [{ ...shirt, layers }] });
    const shipped = renderSpecOf(source, request);
    expect(renderSpecOf(withLayers(texture), request)).toEqual({ ...shipped, layers: texture });
    expect(JSON.stringify(renderSpecOf(withLayers(null), request))).toBe(JSON.stringify(shipped));
    expect(redefinedItems(withLayers(texture), withLayers(backTexture))).toEqual(['t-shirt']);
    expect(redefinedItems(source, withLayers(null))).toEqual([]);
  });

  it('uses the representative angle by default', () => {
    expect(renderSpecOf(source, { ...request, angle: null })).toMatchObject({ angle: 'front' });
  });

  it('adds prints of other places, and replaces the texture on the default place by a print of the product', () => {
    const withPrints = (...places: string[]): ImageSource => ({
      ...source,
      products: [{ ...shirt, prints: places.map((place) => ({ place, textureHash: backTexture })) }],
    });
    expect(renderSpecOf(withPrints('back'), request)?.prints).toEqual([
      { place: 'front', textureHash: texture },
      { place: 'back', textureHash: backTexture },
    ]);
    expect(renderSpecOf(withPrints('front'), request)?.prints).toEqual([{ place: 'front', textureHash: backTexture }]);
  });

  it('has printed colors in soft proofs, only on places in CMYK', () => {
    const proofed = (cmykPlaces: string[], change: Partial<ImageRequest> = { proof: true }) => {
      const prints = [{ place: 'back', textureHash: backTexture }];
      const product = { ...shirt, prints, cmykPlaces };
      return renderSpecOf({ ...source, products: [product] }, { ...request, ...change })?.prints;
    };
    const prints = [
      { place: 'front', textureHash: texture },
      { place: 'back', textureHash: backTexture },
    ];
    expect(proofed(['front', 'back'])).toEqual(prints.map((print) => ({ ...print, proof: true })));
    expect(proofed(['back'])).toEqual([prints[0], { ...prints[1], proof: true }]);
    expect(proofed([])).toEqual(prints);
    expect(proofed(['front', 'back'], {})).toEqual(prints);
    expect(proofed(['front', 'back'], { proof: true, printed: false })).toEqual([]);
  });

  it('stores soft proofs as images on request', () => {
    const sample = imagesToPrepare(source)[0]!;
    const proof = { ...sample, proof: true };
    expect([sample, proof].map((it) => currentImage(source, it)!.key)).toEqual([imageKey(sample), onDemandKey(proof)]);
    expect(imagesToPrepare(source).filter((it) => it.proof)).toEqual([]);
  });

  it('returns no prints for a blank image', () => {
    expect(renderSpecOf(source, { ...request, printed: false })?.prints).toEqual([]);
  });

  it.each([
    ['an older file of the material', { filePath: '12/1763629100-2000x1000.png' }],
    ['another material', { materialId: 13 }],
    ['an unknown item', { itemName: 'hoodie' }],
    ['a color of another item', { itemName: 'mug', size: 'one', angle: 'left', color: 'red' }],
    ['an unknown color', { color: 'mauve' }],
    ['an unknown angle', { angle: 'top' }],
  ])('returns null for %s', (_what, change) => {
    expect(renderSpecOf(source, { ...request, ...change })).toBeNull();
  });
});

describe('weightOf', () => {
  it.each([
    [323, 323, 'webp', 1],
    [765, 765, 'jpg', 1],
    [1024, 1024, 'png', 2],
    [1530, 1530, 'jpg', 4],
    [323, 323, 'avif', 1],
    [500, 500, 'avif', 2],
    [765, 765, 'avif', 4],
    [1530, 100, 'webp', 4],
  ] as const)('returns for %s x %s as %s the weight %s', (width, height, format, weight) => {
    expect(weightOf({ width, height, format })).toBe(weight);
  });
});

describe('imagesToPrepare', () => {
  const images = imagesToPrepare(source);

  it('contains every image whose URL the catalog publishes', () => {
    const published = [shirt, mug].flatMap(({ itemName, sample, essentialAngles }) => {
      const url = (angle: string, format: 'webp' | 'png') =>
        imageUrl({
          base: '',
          itemName,
          filePath: source.filePath,
          hash: 'f'.repeat(40),
          width: 500,
          height: 500,
          size: sample.size,
          color: sample.color,
          angle,
          format,
        });
      return [url(sample.angle, 'webp'), url(sample.angle, 'png'), ...essentialAngles.map((it) => url(it, 'webp'))];
    });
    const requests = published.map((url) => parseImagePath(url.replace('/images/v1/', '').split('?')[0]!));
    expect(requests).toHaveLength(7);
    const keys = images.map(imageKey);
    for (const image of requests) expect(keys).toContain(imageKey(image!));
  });

  it('contains the small image of a card, and no other colors', () => {
    const small = images.filter(({ width }) => width === 323).map((it) => `${it.itemName} ${it.color} ${it.angle}`);
    expect(small).toEqual(['t-shirt white front', 'mug white left']);
    expect(new Set(images.map(({ color }) => color))).toEqual(new Set(['white']));
  });

  it('contains each image once, the main samples first', () => {
    expect(new Set(images.map(imageKey)).size).toBe(images.length);
    expect(images).toHaveLength(4 + 4);
    expect(images.slice(0, 2)).toMatchObject([
      { itemName: 't-shirt', angle: 'front', width: 500, format: 'webp' },
      { itemName: 'mug', angle: 'left', width: 500, format: 'webp' },
    ]);
  });

  it('contains one image of each unpublished product, after all others', () => {
    const mixed = imagesToPrepare({ ...source, products: [{ ...shirt, published: false }, mug] });
    expect(mixed.map(({ itemName }) => itemName)).toEqual(['mug', 'mug', 'mug', 'mug', 't-shirt']);
    expect(mixed.at(-1)).toMatchObject({ angle: 'front', color: 'white', width: 500, height: 500, format: 'webp' });
  });

  it('contains only images that the material has', () => {
    for (const image of images) expect(renderSpecOf(source, image)).not.toBeNull();
  });

  it('is empty without products', () => {
    expect(imagesToPrepare({ ...source, products: [] })).toEqual([]);
  });
});

describe('currentImage', () => {
  const revised = { ...source, products: [{ ...shirt, revision: 3, resizeMode: 'cover' as const }, mug] };

  it.each([0, 3, 999])('returns the current revision for a request with revision %s', (revision) => {
    const { key, spec } = currentImage(revised, { ...request, revision })!;
    expect(key).toBe(onDemandKey({ ...request, revision: 3 }));
    expect(spec.resizeMode).toBe('cover');
  });

  it('returns a blank image of an imported item by revision, and shares that of a shipped one', () => {
    const blank = { ...request, printed: false };
    const imported = { ...revised, products: [{ ...shirt, revision: 3, layers: 'a'.repeat(64) }] };
    expect(currentImage(imported, blank)!.key).toBe(onDemandKey({ ...blank, revision: 3 }));
    expect(currentImage(revised, blank)!.key).toBe(blankKey(blank));
  });

  it('returns null when the material has no such image', () => {
    expect(currentImage(source, { ...request, itemName: 'hoodie' })).toBeNull();
  });

  it('returns an unpublished product only for a draft request, and a published one for both', () => {
    const unpublished = { ...source, products: [{ ...shirt, published: false }, mug] };
    const draft = { ...request, draft: true };
    expect(currentImage(unpublished, request)).toBeNull();
    expect(currentImage(unpublished, draft)!.key).toBe(onDemandKey(draft));
    expect(currentImage(source, draft)).toEqual(currentImage(source, request));
    expect(currentImage(source, draft)!.key).toBe(onDemandKey(request));
  });
});

describe('isOutdated', () => {
  const revised = { ...source, products: [{ ...shirt, revision: 3 }, mug] };
  const stored = (change: Partial<ImageRequest>) => isOutdated(imageKey({ ...request, ...change }), revised);

  it.each([null, '1.0+0.1-0.2'])(
    'returns true when the item has a newer revision, with the adjustment %s',
    (adjustment) => {
      expect([0, 2, 3, 4].map((revision) => stored({ adjustment, revision }))).toEqual([true, true, false, false]);
      expect(stored({ adjustment, itemName: 'mug' })).toBe(false);
    },
  );

  it('returns true for another file, and for an item that the material does not have', () => {
    expect(stored({ revision: 3, filePath: '12/1763629100-2000x1000.png' })).toBe(true);
    expect(stored({ revision: 3, itemName: 'hoodie' })).toBe(true);
  });

  it('returns true for a public image of an unpublished product, and for a draft of a published one', () => {
    const unpublished = { ...source, products: [{ ...shirt, published: false }, mug] };
    for (const adjustment of [null, '1.0+0.1-0.2'])
      for (const itemName of ['t-shirt', 'mug']) {
        const outdated = [false, true].map((draft) =>
          isOutdated(imageKey({ ...request, adjustment, itemName, draft }), unpublished),
        );
        expect([itemName, outdated]).toEqual([itemName, itemName === 'mug' ? [false, true] : [true, false]]);
      }
  });

  it('returns false for the stored source of a rendering', () => {
    expect(isOutdated('images/12/drawn-from-8f1c0f3e', revised)).toBe(false);
  });
});

describe('redefinedItems', () => {
  const white = { ...mug, colors: [{ name: 'white', rgb: '#fefefe' }] };

  it('returns items whose colors changed in the catalog, and not those that their owner changed', () => {
    expect(redefinedItems(source, { ...source, products: [{ ...mug }, { ...shirt }] })).toEqual([]);
    expect(redefinedItems(source, { ...source, products: [shirt, white] })).toEqual(['mug']);
    expect(redefinedItems(source, { ...source, products: [shirt, { ...white, revision: 1 }] })).toEqual([]);
    expect(redefinedItems(source, { ...source, products: [shirt, mug, { ...mug, itemName: 'note' }] })).toEqual([]);
  });
});
