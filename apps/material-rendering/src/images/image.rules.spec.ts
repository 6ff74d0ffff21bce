import { drawnKey, imageUrl, parseImagePath, imageKey, type ImageRequest, type ImageSource } from '#contracts';
import { currentImage, drawingOf, isOutdated, imagesToPrepare, redefinedItems, weightOf } from './image.rules.js';

const texture = 'a'.repeat(64);
const backTexture = 'b'.repeat(64);

const shirt: ImageSource['products'][number] = {
  itemName: 't-shirt',
  revision: 0,
  published: true,
  resizeMode: 'contain',
  prints: [],
  defaultPrintPlace: 'front',
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
  draft: false,
  revision: 0,
};

describe('the drawing of an image', () => {
  it('has the colour, the angle and the prints of the product', () => {
    expect(drawingOf(source, request)).toEqual({
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

  it('shows the representative angle when none is given', () => {
    expect(drawingOf(source, { ...request, angle: null })).toMatchObject({ angle: 'front' });
  });

  it('shows further sides beside the material, and an image of its own on the default place instead of it', () => {
    const withPrints = (...places: string[]): ImageSource => ({
      ...source,
      products: [{ ...shirt, prints: places.map((place) => ({ place, textureHash: backTexture })) }],
    });
    expect(drawingOf(withPrints('back'), request)?.prints).toEqual([
      { place: 'front', textureHash: texture },
      { place: 'back', textureHash: backTexture },
    ]);
    expect(drawingOf(withPrints('front'), request)?.prints).toEqual([{ place: 'front', textureHash: backTexture }]);
  });

  it('is blank when the image is not printed', () => {
    expect(drawingOf(source, { ...request, printed: false })?.prints).toEqual([]);
  });

  it.each([
    ['an older file of the material', { filePath: '12/1763629100-2000x1000.png' }],
    ['another material', { materialId: 13 }],
    ['an unknown item', { itemName: 'hoodie' }],
    ['a colour of another item', { itemName: 'mug', size: 'one', angle: 'left', color: 'red' }],
    ['an unknown colour', { color: 'mauve' }],
    ['an unknown angle', { angle: 'top' }],
  ])('does not exist for %s', (_what, change) => {
    expect(drawingOf(source, { ...request, ...change })).toBeNull();
  });
});

describe('the weight of a drawing', () => {
  it.each([
    [323, 323, 'webp', 1],
    [765, 765, 'jpg', 1],
    [1024, 1024, 'png', 2],
    [1530, 1530, 'jpg', 4],
    [323, 323, 'avif', 1],
    [500, 500, 'avif', 2],
    [765, 765, 'avif', 4],
    [1530, 100, 'webp', 4],
  ] as const)('of %s x %s as %s is %s', (width, height, format, weight) => {
    expect(weightOf({ width, height, format })).toBe(weight);
  });
});

describe('the images of a new material', () => {
  const wanted = imagesToPrepare(source);

  it('contain every image whose URL the catalogue publishes', () => {
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
    const asked = published.map((url) => parseImagePath(url.replace('/images/v1/', '').split('?')[0]!));
    expect(asked).toHaveLength(7);
    const keys = wanted.map(imageKey);
    for (const image of asked) expect(keys).toContain(imageKey(image!));
  });

  it('contain the small one of a card, and no other colours', () => {
    const small = wanted.filter(({ width }) => width === 323).map((it) => `${it.itemName} ${it.color} ${it.angle}`);
    expect(small).toEqual(['t-shirt white front', 'mug white left']);
    expect(new Set(wanted.map(({ color }) => color))).toEqual(new Set(['white']));
  });

  it('are named once each, the main samples first', () => {
    expect(new Set(wanted.map(imageKey)).size).toBe(wanted.length);
    expect(wanted).toHaveLength(4 + 4);
    expect(wanted.slice(0, 2)).toMatchObject([
      { itemName: 't-shirt', angle: 'front', width: 500, format: 'webp' },
      { itemName: 'mug', angle: 'left', width: 500, format: 'webp' },
    ]);
  });

  it('are one for each product that is not published, after all others', () => {
    const mixed = imagesToPrepare({ ...source, products: [{ ...shirt, published: false }, mug] });
    expect(mixed.map(({ itemName }) => itemName)).toEqual(['mug', 'mug', 'mug', 'mug', 't-shirt']);
    expect(mixed.at(-1)).toMatchObject({ angle: 'front', color: 'white', width: 500, height: 500, format: 'webp' });
  });

  it('can all be drawn', () => {
    for (const image of wanted) expect(drawingOf(source, image)).not.toBeNull();
  });

  it('are none without products', () => {
    expect(imagesToPrepare({ ...source, products: [] })).toEqual([]);
  });
});

describe('the image that a request is answered with', () => {
  const revised = { ...source, products: [{ ...shirt, revision: 3, resizeMode: 'cover' as const }, mug] };

  it.each([0, 3, 999])('is of the current revision, also when revision %s is asked for', (revision) => {
    const { key, drawing } = currentImage(revised, { ...request, revision })!;
    expect(key).toBe(drawnKey({ ...request, revision: 3 }));
    expect(drawing.resizeMode).toBe('cover');
  });

  it('is none where nothing is drawn', () => {
    expect(currentImage(source, { ...request, itemName: 'hoodie' })).toBeNull();
  });

  it('is that of an unpublished product only by its own signature, and of a published one by either', () => {
    const unpublished = { ...source, products: [{ ...shirt, published: false }, mug] };
    const draft = { ...request, draft: true };
    expect(currentImage(unpublished, request)).toBeNull();
    expect(currentImage(unpublished, draft)!.key).toBe(drawnKey(draft));
    expect(currentImage(source, draft)).toEqual(currentImage(source, request));
    expect(currentImage(source, draft)!.key).toBe(drawnKey(request));
  });
});

describe('a stored image', () => {
  const revised = { ...source, products: [{ ...shirt, revision: 3 }, mug] };
  const stored = (change: Partial<ImageRequest>) => isOutdated(imageKey({ ...request, ...change }), revised);

  it.each([null, '1.0+0.1-0.2'])(
    'is outdated when its item has a newer revision, adjusted or not: %s',
    (adjustment) => {
      expect([0, 2, 3, 4].map((revision) => stored({ adjustment, revision }))).toEqual([true, true, false, false]);
      expect(stored({ adjustment, itemName: 'mug' })).toBe(false);
    },
  );

  it('is outdated when it is of another file or of an item that the material has not', () => {
    expect(stored({ revision: 3, filePath: '12/1763629100-2000x1000.png' })).toBe(true);
    expect(stored({ revision: 3, itemName: 'hoodie' })).toBe(true);
  });

  it('is outdated when it is public and its product is not, and the other way round', () => {
    const unpublished = { ...source, products: [{ ...shirt, published: false }, mug] };
    for (const adjustment of [null, '1.0+0.1-0.2'])
      for (const itemName of ['t-shirt', 'mug']) {
        const outdated = [false, true].map((draft) =>
          isOutdated(imageKey({ ...request, adjustment, itemName, draft }), unpublished),
        );
        expect([itemName, outdated]).toEqual([itemName, itemName === 'mug' ? [false, true] : [true, false]]);
      }
  });

  it('is distinguished from a note about its drawing', () => {
    expect(isOutdated('images/12/drawn-from-8f1c0f3e', revised)).toBe(false);
  });
});

describe('the items that are drawn otherwise in the same revision', () => {
  const white = { ...mug, colors: [{ name: 'white', rgb: '#fefefe' }] };

  it('are those whose colours changed in the catalogue, and not those that their owner changed', () => {
    expect(redefinedItems(source, { ...source, products: [{ ...mug }, { ...shirt }] })).toEqual([]);
    expect(redefinedItems(source, { ...source, products: [shirt, white] })).toEqual(['mug']);
    expect(redefinedItems(source, { ...source, products: [shirt, { ...white, revision: 1 }] })).toEqual([]);
    expect(redefinedItems(source, { ...source, products: [shirt, mug, { ...mug, itemName: 'note' }] })).toEqual([]);
  });
});
