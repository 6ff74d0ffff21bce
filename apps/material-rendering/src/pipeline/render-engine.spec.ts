import { DomainError } from '#kernel';
import { RenderEngine, type DrawRequest, type Print, type PrintTexture } from './render-engine.js';
import { sharp } from './sharp.js';
import { colorAt, layersFolder, paintPng, quadrants, testCard, textureOf, type Paint } from './testing/test-card.js';

const engine = new RenderEngine({ layersFolder });
const edge = 323;

/** The pixels of an image: prints `texture` on all places. */
async function draw(
  itemName: string,
  texture: PrintTexture | null,
  change: Partial<DrawRequest> = {},
): Promise<Buffer> {
  const prints = ['front', 'back', 'outside'].flatMap((place): Print[] =>
    texture ? [{ place, texture, resizeMode: null }] : [],
  );
  const plain = { itemName, angle: null, width: edge, height: edge, rgb: '#ffffff', adjustment: null } as const;
  return sharp(await engine.draw({ ...plain, prints, format: 'png', ...change }))
    .raw()
    .toBuffer();
}

const texture = async (paint: Paint, width = 200, height = 200) => textureOf(await paintPng(width, height, paint));

/** Which of the test's pure colours a pixel is nearest to. */
function nameOf([red, green, blue]: readonly [number, number, number]): string {
  if (Math.max(red, green, blue) - Math.min(red, green, blue) < 40) return 'white';
  if (red > 120 && green > 110 && blue < 90) return 'yellow';
  return red > green && red > blue ? 'red' : green > blue ? 'green' : 'blue';
}

/** To the bit. (`toEqual` walks through every byte: a second per image.) */
const expectSame = (a: Buffer, b: Buffer): void => {
  expect(a.equals(b)).toBe(true);
};

function distance(a: Buffer, b: Buffer): { worst: number; mean: number } {
  let [worst, sum] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    const difference = a[i]! > b[i]! ? a[i]! - b[i]! : b[i]! - a[i]!;
    if (difference > worst) worst = difference;
    sum += difference;
  }
  return { worst, mean: sum / a.length };
}

describe('angles', () => {
  it('are those of the layers', () => {
    expect([engine.angles('mug'), engine.angles('t-shirt'), engine.angles('rocket')]).toEqual([
      ['close-up', 'front', 'left', 'right'],
      ['back', 'close-up', 'front'],
      [],
    ]);
    expect([engine.has('mug', 'left'), engine.has('mug', 'top'), engine.has('rocket', null)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('are the front when none is asked for, or the only one there is', async () => {
    const art = await texture(quadrants);
    expectSame(await draw('t-shirt', art), await draw('t-shirt', art, { angle: 'front' }));
    expectSame(await draw('smartphone-case', art), await draw('smartphone-case', art, { angle: 'back' }));
  });

  it.each([
    ['an unknown item', { itemName: 'rocket' }],
    ['an unknown angle', { angle: 'inside' }],
    ['a folder above', { itemName: '..', angle: 'layers' }],
    ['a size beyond all screens', { width: 100_000 }],
    ['an empty size', { height: 0 }],
    ['an adjustment that is none', { adjustment: 'a lot' }],
  ])('and %s is not found', async (_, change) => {
    const refused = draw('t-shirt', null, change);
    await expect(refused).rejects.toThrow(DomainError);
    await expect(refused).rejects.toMatchObject({ kind: { code: 'picture.not-found' } });
  });
});

describe('a print', () => {
  it.each(['front', 'back'])('is upright and not mirrored on a T-shirt: %s', async (angle) => {
    const image = await draw('t-shirt', await texture(quadrants), { angle });
    const at = (x: number, y: number): string => nameOf(colorAt(image, edge, x, y));
    expect([at(0.42, 0.32), at(0.56, 0.32), at(0.42, 0.48), at(0.56, 0.48)]).toEqual([
      'red',
      'green',
      'blue',
      'yellow',
    ]);
    expect([at(0.42, 0.8), at(0.2, 0.3)]).toEqual(['white', 'white']);
  });

  it('goes round a mug: its left, middle and right from the left, the front and the right', async () => {
    const stripes = await texture(
      (x) => (x < 1 / 3 ? [220, 20, 20, 255] : x < 2 / 3 ? [20, 160, 20, 255] : [20, 20, 220, 255]),
      483,
      195,
    );
    const seen = await Promise.all(
      ['left', 'front', 'right'].map(async (angle) => {
        const image = await draw('mug', stripes, { angle });
        const row = Array.from({ length: 60 }, (_, i) => nameOf(colorAt(image, edge, 0.15 + i * 0.01, 0.55)));
        return row.filter((name, i) => name !== 'white' && name !== row[i - 1]).join(' ');
      }),
    );
    expect(seen).toEqual(['red green', 'red green blue', 'green blue']);
  });

  it.each(['smartphone-case', 'can-badge', 'cushion'])('hides all of the color of a %s, to its edge', async (item) => {
    const black = await texture(() => [0, 0, 0, 255]);
    const [onWhite, onRed] = [await draw(item, black), await draw(item, black, { rgb: '#ff0000' })];
    const { worst, mean } = distance(onWhite, onRed);
    expect(mean).toBeLessThan(0.01);
    expect(worst).toBeLessThan(30);
  });

  it('leaves the item untouched where the artwork is transparent', async () => {
    const nothing = await texture(() => [90, 0, 0, 0]);
    for (const item of ['t-shirt', 'cushion']) expectSame(await draw(item, nothing), await draw(item, null));
  });

  it('has no halo round a half-transparent edge', async () => {
    const soft = await texture((x, y) => [
      250,
      250,
      250,
      255 * Math.min(1, Math.max(0, (0.5 - Math.hypot(x - 0.5, y - 0.5)) * 9)),
    ]);
    const [blank, printed] = [await draw('t-shirt', null), await draw('t-shirt', soft)];
    // White on white of the same albedo: whatever alpha is, nothing may change
    expect(distance(blank, printed).worst).toBeLessThanOrEqual(3);
  });

  it('is not drawn where the angle shows another place', async () => {
    const prints = [{ place: 'back', texture: await texture(quadrants), resizeMode: null }];
    expectSame(await draw('t-shirt', null, { prints }), await draw('t-shirt', null));
  });

  it('is laid in as asked, on an item of either kind', async () => {
    const wide = await texture(() => [20, 20, 220, 255], 300, 100);
    const printed = async (item: string, resizeMode: Print['resizeMode']): Promise<string[]> => {
      const place = item === 't-shirt' ? 'front' : 'back';
      const image = await draw(item, null, { prints: [{ place, texture: wide, resizeMode }] });
      return [0.26, 0.4, 0.7].map((y) => nameOf(colorAt(image, edge, 0.54, y)));
    };
    expect(await printed('t-shirt', null)).toEqual(await printed('t-shirt', 'contain'));
    expect(await printed('t-shirt', 'contain')).toEqual(['white', 'blue', 'white']);
    expect(await printed('t-shirt', 'cover')).toEqual(['blue', 'blue', 'white']);
    expect(await printed('smartphone-case', null)).toEqual(['blue', 'blue', 'blue']);
    expect(await printed('smartphone-case', 'contain')).toEqual(['white', 'white', 'white']);
  });

  it('is moved and scaled by an adjustment, down to nothing', async () => {
    const art = await texture(() => [20, 20, 220, 255]);
    const at = async (adjustment: string): Promise<string[]> => {
      const image = await draw('t-shirt', art, { adjustment });
      return [0.26, 0.4, 0.56].map((y) => nameOf(colorAt(image, edge, 0.5, y)));
    };
    expect(await at('0.5+0.0+0.0')).toEqual(['white', 'blue', 'white']);
    expect(await at('0.5+0.0-0.3')).toEqual(['blue', 'white', 'white']);
    expect(await at('0.5+0.0+0.3')).toEqual(['white', 'white', 'blue']);
    expectSame(await draw('t-shirt', art, { adjustment: '0.0+0.0+0.0' }), await draw('t-shirt', null));
    expect(await at('9999.9+9999.9-9999.9')).toEqual(['white', 'white', 'white']);
  });
});

describe('an image', () => {
  it('keeps folds visible on white and on black', async () => {
    for (const [rgb, low, high] of [
      ['#ffffff', 150, 254],
      ['#000000', 12, 90],
    ] as const) {
      const [red] = colorAt(await draw('t-shirt', null, { rgb }), edge, 0.5, 0.6);
      expect(red).toBeGreaterThan(low);
      expect(red).toBeLessThan(high);
    }
  });

  it('of something clear has no colour of its own', async () => {
    const clear = (rgb: string): Promise<Buffer> => draw('acrylic-block', null, { rgb });
    expectSame(await clear('#ff0000'), await clear('#0000ff'));
  });

  it('looks the same in neighbouring sizes', async () => {
    const art = await texture(testCard, 150, 200);
    for (const item of ['t-shirt', 'mug', 'full-graphic-t-shirt']) {
      const smaller = sharp(await draw(item, art, { width: 300, height: 300 }), {
        raw: { width: 300, height: 300, channels: 3 },
      });
      const enlarged = await smaller.resize(edge, edge).raw().toBuffer();
      expect(distance(enlarged, await draw(item, art)).mean).toBeLessThan(1.5);
    }
  });

  it('has the asked shape, with the item in its middle', async () => {
    const bytes = await engine.draw({
      itemName: 't-shirt',
      angle: null,
      width: 500,
      height: 200,
      rgb: '#000000',
      prints: [],
      adjustment: null,
      format: 'png',
    });
    const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([500, 200]);
    expect(data[3 * (100 * 500 + 250)]).toBeLessThan(80);
    expect([...data.subarray(3 * 100 * 500, 3 * 100 * 500 + 3)]).toEqual([235, 235, 233]);
  });

  it('of a close-up shows the print large and is filled with the item, whatever its shape', async () => {
    const art = await texture(() => [20, 20, 220, 255], 300, 400);
    const seen = async (angle: string, width: number, height: number): Promise<number> => {
      const image = await draw('t-shirt', art, { angle, width, height, rgb: '#d71920' });
      let blue = 0;
      for (let i = 0; i < image.length; i += 3) if (image[i + 2]! > 2 * image[i]!) blue++;
      return blue / (width * height);
    };
    expect(await seen('close-up', 200, 200)).toBeGreaterThan(3 * (await seen('front', 200, 200)));
    // A strip out of the middle, as wide as the square
    expect(await seen('close-up', 200, 100)).toBeGreaterThan(await seen('close-up', 200, 200));
  });

  it.each([
    ['webp', 'webp'],
    ['jpg', 'jpeg'],
    ['png', 'png'],
    ['avif', 'heif'],
  ] as const)('is written as %s', async (format, read) => {
    const bytes = await engine.draw({
      itemName: 'mug',
      angle: null,
      width: 100,
      height: 100,
      rgb: '#ffffff',
      prints: [],
      adjustment: null,
      format,
    });
    expect(await sharp(bytes).metadata()).toMatchObject({ format: read, width: 100, height: 100 });
  });

  it('of one material in many colours, sizes and formats decodes its file twice at most', async () => {
    const art = await texture(quadrants);
    for (const rgb of ['#ffffff', '#000000']) {
      for (const width of [60, 100, 160]) {
        for (const item of ['t-shirt', 'mug', 'smartphone-case']) await draw(item, art, { rgb, width, height: width });
      }
    }
    expect(art.decodes).toBeLessThanOrEqual(2);
  });

  it('costs one decoding when it is drawn twice at the same time', async () => {
    const art = await texture(testCard, 90, 120);
    const [one, other] = await Promise.all([draw('t-shirt', art), draw('t-shirt', art)]);
    expectSame(one, other);
    expect(art.decodes).toBe(1);
  });

  it('is drawn without caches too', async () => {
    const poor = new RenderEngine({ layersFolder, cacheBytes: 0 });
    const art = await texture(quadrants);
    const request: DrawRequest = {
      itemName: 't-shirt',
      angle: null,
      width: 100,
      height: 100,
      rgb: '#ffffff',
      prints: [{ place: 'front', texture: art, resizeMode: null }],
      adjustment: null,
      format: 'png',
    };
    expectSame(await poor.draw(request), await new RenderEngine({ layersFolder }).draw(request));
  });
});
