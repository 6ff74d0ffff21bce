import { imageUrl, parseImagePath, pictureKey, type PictureRequest, type PictureSource } from '#contracts';
import { changedItems, drawingOf, itemOfKey, picturesToPrepare, weightOf } from './picture.js';

const texture = 'a'.repeat(64);
const backTexture = 'b'.repeat(64);

const shirt: PictureSource['products'][number] = {
  itemName: 't-shirt',
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
const mug: PictureSource['products'][number] = {
  ...shirt,
  itemName: 'mug',
  resizeMode: 'contain',
  colors: [{ name: 'white', rgb: '#ffffff' }],
  sizes: ['one'],
  angles: ['left', 'right'],
  essentialAngles: ['right'],
  sample: { size: 'one', color: 'white', angle: 'left' },
};
const source: PictureSource = {
  materialId: 12,
  filePath: '12/1763629200-2000x1000.png',
  textureHash: texture,
  products: [shirt, mug],
};
const request: PictureRequest = {
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
};

describe('the drawing of a picture', () => {
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

  it('shows further sides beside the material, and a picture of its own on the default place instead of it', () => {
    const withPrints = (...places: string[]): PictureSource => ({
      ...source,
      products: [{ ...shirt, prints: places.map((place) => ({ place, textureHash: backTexture })) }],
    });
    expect(drawingOf(withPrints('back'), request)?.prints).toEqual([
      { place: 'front', textureHash: texture },
      { place: 'back', textureHash: backTexture },
    ]);
    expect(drawingOf(withPrints('front'), request)?.prints).toEqual([{ place: 'front', textureHash: backTexture }]);
  });

  it('is blank when the picture is not printed', () => {
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

describe('the pictures of a new material', () => {
  const wanted = picturesToPrepare(source);

  it('contain every picture whose URL the catalogue publishes', () => {
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
    const asked = published.map((url) => parseImagePath(url.replace('/images/v1/', '').split('?')[0]!, true));
    expect(asked).toHaveLength(7);
    const keys = wanted.map(pictureKey);
    for (const picture of asked) expect(keys).toContain(pictureKey(picture!));
  });

  it('contain every colour from each essential angle, small', () => {
    const small = wanted.filter(({ width }) => width === 323).map((it) => `${it.itemName} ${it.color} ${it.angle}`);
    expect(small).toEqual([
      't-shirt white front',
      't-shirt white back',
      't-shirt black front',
      't-shirt black back',
      't-shirt red front',
      't-shirt red back',
      'mug white right',
    ]);
  });

  it('are named once each, the published ones first', () => {
    expect(new Set(wanted.map(pictureKey)).size).toBe(wanted.length);
    expect(wanted).toHaveLength(3 + 3 + 7);
    expect(wanted.slice(0, 6).every(({ width, height }) => width === 500 && height === 500)).toBe(true);
  });

  it('can all be drawn', () => {
    for (const picture of wanted) expect(drawingOf(source, picture)).not.toBeNull();
  });

  it('are none without products', () => {
    expect(picturesToPrepare({ ...source, products: [] })).toEqual([]);
  });
});

describe('the items of a material whose pictures changed', () => {
  const changed = (change: Partial<PictureSource>) => changedItems(source, { ...source, ...change });

  it('are none when nothing changed, also in another order', () => {
    expect(changed({ products: [{ ...mug }, { ...shirt }] })).toEqual([]);
  });

  it('are those that changed, came or went', () => {
    expect(changed({ products: [shirt, { ...mug, resizeMode: 'cover' }] })).toEqual(['mug']);
    expect(changed({ products: [shirt, mug, { ...mug, itemName: 'note' }] })).toEqual(['note']);
    expect(changed({ products: [mug] })).toEqual(['t-shirt']);
  });

  it('are all when the file is another one', () => {
    expect(changed({ textureHash: backTexture })).toBe('all');
    expect(changed({ filePath: '12/1763629201-2000x1000.png' })).toBe('all');
  });

  it('are found in the keys of pictures, adjusted or not', () => {
    for (const adjustment of [null, '1.0+0.1-0.2']) {
      for (const angle of [null, 'back']) {
        expect(itemOfKey(pictureKey({ ...request, adjustment, angle }))).toBe('t-shirt');
      }
    }
    expect(itemOfKey('pictures/12/drawn-from-8f1c0f3e')).toBeUndefined();
  });
});
