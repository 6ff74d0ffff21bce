import { DomainError } from '#kernel';
import { RenderEngine, type RenderRequest, type Print, type PrintTexture } from './render-engine.js';
import { sharp } from '#images';
import { colorAt, engineFiles, paintPng, quadrants, testCard, textureOf, type Paint } from './testing/test-card.js';

const engine = new RenderEngine(engineFiles);
const edge = 323;

/** Returns the pixels of an image with `texture` on all print places. */
async function render(
  itemName: string,
  texture: PrintTexture | null,
  change: Partial<RenderRequest> = {},
): Promise<Buffer> {
  const prints = ['front', 'back', 'outside'].flatMap((place): Print[] =>
    texture ? [{ place, texture, resizeMode: null, placed: null }] : [],
  );
  const plain = { itemName, angle: null, width: edge, height: edge, rgb: '#ffffff', adjustment: null } as const;
  return sharp(await engine.render({ ...plain, prints, format: 'png', ...change }))
    .raw()
    .toBuffer();
}

const texture = async (paint: Paint, width = 200, height = 200) => textureOf(await paintPng(width, height, paint));

/** Returns which of the test's pure colors is nearest to a pixel. */
function nameOf([red, green, blue]: readonly [number, number, number]): string {
  if (Math.max(red, green, blue) - Math.min(red, green, blue) < 40) return 'white';
  if (red > 120 && green > 110 && blue < 90) return 'yellow';
  return red > green && red > blue ? 'red' : green > blue ? 'green' : 'blue';
}

/** Expects identical bytes. (`toEqual` compares each byte separately: a second per image.) */
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

describe('angles of the render engine', () => {
  it('are those of the layers', () => {
    expect([engine.angles('mug'), engine.angles('t-shirt'), engine.angles('rocket')]).toEqual([
      ['close-up', 'front', 'left', 'right'],
      ['back', 'close-up', 'front', 'front-wearing'],
      [],
    ]);
    expect([engine.has('mug', 'left'), engine.has('mug', 'top'), engine.has('rocket', null)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('default to the front, or to the only one', async () => {
    const art = await texture(quadrants);
    expectSame(await render('t-shirt', art), await render('t-shirt', art, { angle: 'front' }));
    expectSame(await render('smartphone-case', art), await render('smartphone-case', art, { angle: 'back' }));
  });

  it.each([
    ['an unknown item', { itemName: 'rocket' }],
    ['an unknown angle', { angle: 'inside' }],
    ['a folder above', { itemName: '..', angle: 'layers' }],
    ['a size over the limit', { width: 100_000 }],
    ['an empty size', { height: 0 }],
    ['an invalid adjustment', { adjustment: 'a lot' }],
  ])('cause picture.not-found for %s', async (_, change) => {
    const rejected = render('t-shirt', null, change);
    await expect(rejected).rejects.toThrow(DomainError);
    await expect(rejected).rejects.toMatchObject({ kind: { code: 'picture.not-found' } });
  });
});

describe('a print', () => {
  it.each(['front', 'back'])('is upright and not mirrored on a T-shirt: %s', async (angle) => {
    const image = await render('t-shirt', await texture(quadrants), { angle });
    const at = (x: number, y: number): string => nameOf(colorAt(image, edge, x, y));
    expect([at(0.42, 0.32), at(0.56, 0.32), at(0.42, 0.48), at(0.56, 0.48)]).toEqual([
      'red',
      'green',
      'blue',
      'yellow',
    ]);
    expect([at(0.42, 0.8), at(0.2, 0.3)]).toEqual(['white', 'white']);
  });

  it('wraps around a mug: each angle shows its part of the print', async () => {
    const stripes = await texture(
      (x) => (x < 1 / 3 ? [220, 20, 20, 255] : x < 2 / 3 ? [20, 160, 20, 255] : [20, 20, 220, 255]),
      483,
      195,
    );
    const seen = await Promise.all(
      ['left', 'front', 'right'].map(async (angle) => {
        const image = await render('mug', stripes, { angle });
        const row = Array.from({ length: 60 }, (_, i) => nameOf(colorAt(image, edge, 0.15 + i * 0.01, 0.55)));
        return row.filter((name, i) => name !== 'white' && name !== row[i - 1]).join(' ');
      }),
    );
    expect(seen).toEqual(['red', 'red green blue', 'green blue']);
  });

  it.each(['can-badge', 'towel-handkerchief', 'bandana'])('hides the color of a %s up to its edge', async (item) => {
    const black = await texture(() => [0, 0, 0, 255]);
    const [onWhite, onRed] = [await render(item, black), await render(item, black, { rgb: '#ff0000' })];
    const { worst, mean } = distance(onWhite, onRed);
    expect(mean).toBeLessThan(0.01);
    expect(worst).toBeLessThan(30);
  });

  it.each([
    ['smartphone-case', 'the ring around the camera', 0.507, 0.26],
    ['cushion', 'its piping', 0.125, 0.5],
  ])('hides the color of a %s except for %s', async (item, _, x, y) => {
    const black = await texture(() => [0, 0, 0, 255]);
    const [onWhite, onRed] = [await render(item, black), await render(item, black, { rgb: '#ff0000' })];
    expect(colorAt(onRed, edge, 0.5, 0.55)).toEqual(colorAt(onWhite, edge, 0.5, 0.55));
    expect([nameOf(colorAt(onWhite, edge, x, y)), nameOf(colorAt(onRed, edge, x, y))]).toEqual(['white', 'red']);
  });

  it('does not change the item where the artwork is transparent', async () => {
    const nothing = await texture(() => [90, 0, 0, 0]);
    for (const item of ['t-shirt', 'cushion']) expectSame(await render(item, nothing), await render(item, null));
  });

  it('has no halo around a half-transparent edge', async () => {
    const soft = await texture((x, y) => [
      250,
      250,
      250,
      255 * Math.min(1, Math.max(0, (0.5 - Math.hypot(x - 0.5, y - 0.5)) * 9)),
    ]);
    const [blank, printed] = [await render('t-shirt', null), await render('t-shirt', soft)];
    // White on white of the same albedo must not change the image, for any alpha
    expect(distance(blank, printed).worst).toBeLessThanOrEqual(3);
  });

  it('is not rendered when the angle shows another print place', async () => {
    const prints = [{ place: 'back', texture: await texture(quadrants), resizeMode: null, placed: null }];
    expectSame(await render('t-shirt', null, { prints }), await render('t-shirt', null));
  });

  it('is fitted by its resize mode, on items of both kinds', async () => {
    const wide = await texture(() => [20, 20, 220, 255], 300, 100);
    const printed = async (item: string, resizeMode: Print['resizeMode']): Promise<string[]> => {
      const place = item === 't-shirt' ? 'front' : 'back';
      const image = await render(item, null, { prints: [{ place, texture: wide, resizeMode, placed: null }] });
      return [0.26, 0.4, 0.7].map((y) => nameOf(colorAt(image, edge, 0.54, y)));
    };
    expect(await printed('t-shirt', null)).toEqual(await printed('t-shirt', 'contain'));
    expect(await printed('t-shirt', 'contain')).toEqual(['white', 'blue', 'white']);
    expect(await printed('t-shirt', 'cover')).toEqual(['blue', 'blue', 'white']);
    expect(await printed('smartphone-case', null)).toEqual(['blue', 'blue', 'blue']);
    expect(await printed('smartphone-case', 'contain')).toEqual(['white', 'white', 'white']);
  });

  it('is shifted and scaled by an adjustment, down to a scale of 0', async () => {
    const art = await texture(() => [20, 20, 220, 255]);
    const at = async (adjustment: string): Promise<string[]> => {
      const image = await render('t-shirt', art, { adjustment });
      return [0.26, 0.4, 0.56].map((y) => nameOf(colorAt(image, edge, 0.5, y)));
    };
    expect(await at('0.5+0.0+0.0')).toEqual(['white', 'blue', 'white']);
    expect(await at('0.5+0.0-0.3')).toEqual(['blue', 'white', 'white']);
    expect(await at('0.5+0.0+0.3')).toEqual(['white', 'white', 'blue']);
    expectSame(await render('t-shirt', art, { adjustment: '0.0+0.0+0.0' }), await render('t-shirt', null));
    expect(await at('9999.9+9999.9-9999.9')).toEqual(['white', 'white', 'white']);
  });
});

describe('a soft proof', () => {
  const onNote = async (art: PrintTexture, proof?: boolean): Promise<Buffer> =>
    render('note', null, {
      prints: [{ place: 'front', texture: art, resizeMode: null, placed: null, ...(proof !== undefined && { proof }) }],
    });

  it('has the colors in which the print file is printed, below the light of the item', async () => {
    const soft =
      (alpha: number): Paint =>
      (x, y) => [...printed(x), y < 0.5 ? 255 : alpha];
    const original = (x: number) => (x < 0.5 ? ([0, 0, 255] as const) : ([255, 0, 0] as const));
    const printed = (x: number) => (x < 0.5 ? ([13, 87, 156] as const) : ([227, 45, 43] as const));
    const art = await texture((x, y) => [...original(x), y < 0.5 ? 255 : 120]);
    const proof = await onNote(art, true);
    expect(distance(proof, await onNote(await texture(soft(120)))).worst).toBeLessThanOrEqual(2);
    expect(distance(proof, await onNote(art)).mean).toBeGreaterThan(10);
  });

  it('changes nothing without being requested, nor a cached image', async () => {
    const art = await texture(quadrants);
    const before = await onNote(art);
    await onNote(art, true);
    expectSame(await onNote(art), before);
    expectSame(await onNote(art, false), before);
    expectSame(await onNote(await texture(quadrants)), before);
  });
});

describe('an image', () => {
  it('shows folds on white and on black', async () => {
    for (const [rgb, low, high] of [
      ['#ffffff', 150, 254],
      ['#000000', 12, 90],
    ] as const) {
      const [red] = colorAt(await render('t-shirt', null, { rgb }), edge, 0.5, 0.6);
      expect(red).toBeGreaterThan(low);
      expect(red).toBeLessThan(high);
    }
  });

  it('of heather gray cloth shows light and dark yarn', async () => {
    // Differences of adjacent rows, so that folds do not count
    const contrast = async (rgb: string): Promise<number> => {
      const image = await render('t-shirt', null, { rgb, width: 765, height: 765 });
      const reds = Array.from({ length: 200 }, (_, i) => colorAt(image, 765, 0.55, 0.4 + i / 765)[0]);
      return reds.slice(1).reduce((sum, red, i) => sum + Math.abs(red - reds[i]!), 0);
    };
    expect(await contrast('#b9bcbf')).toBeGreaterThan(2 * (await contrast('#b9bcbe')));
  });

  it('of a transparent item does not depend on the color', async () => {
    const clear = (rgb: string): Promise<Buffer> => render('acrylic-block', null, { rgb });
    expectSame(await clear('#ff0000'), await clear('#0000ff'));
  });

  it('looks the same in neighbouring sizes', async () => {
    const art = await texture(testCard, 150, 200);
    for (const item of ['t-shirt', 'mug', 'full-graphic-t-shirt']) {
      const smaller = sharp(await render(item, art, { width: 300, height: 300 }), {
        raw: { width: 300, height: 300, channels: 3 },
      });
      const enlarged = await smaller.resize(edge, edge).raw().toBuffer();
      // The threads of cloth are drawn for each size
      expect(distance(enlarged, await render(item, art)).mean).toBeLessThan(2.5);
    }
  });

  it('has the requested size, with the item in its centre', async () => {
    const bytes = await engine.render({
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

  it('of a close-up shows the print larger and fills the image in every aspect ratio', async () => {
    const art = await texture(() => [20, 20, 220, 255], 300, 400);
    const seen = async (angle: string, width: number, height: number): Promise<number> => {
      const image = await render('t-shirt', art, { angle, width, height, rgb: '#d71920' });
      let blue = 0;
      for (let i = 0; i < image.length; i += 3) if (image[i + 2]! > 2 * image[i]!) blue++;
      return blue / (width * height);
    };
    expect(await seen('close-up', 200, 200)).toBeGreaterThan(3 * (await seen('front', 200, 200)));
    // The image is a strip from the middle of the square, as wide as the square
    expect(await seen('close-up', 200, 100)).toBeGreaterThan(await seen('close-up', 200, 200));
  });

  it.each([
    ['webp', 'webp'],
    ['jpg', 'jpeg'],
    ['png', 'png'],
    ['avif', 'heif'],
  ] as const)('is encoded as %s', async (format, read) => {
    const bytes = await engine.render({
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

  it('of one material in many colors, sizes and formats decodes its file twice at most', async () => {
    const art = await texture(quadrants);
    for (const rgb of ['#ffffff', '#000000']) {
      for (const width of [60, 100, 160]) {
        for (const item of ['t-shirt', 'mug', 'smartphone-case'])
          await render(item, art, { rgb, width, height: width });
      }
    }
    expect(art.decodes).toBeLessThanOrEqual(2);
  });

  it('decodes its texture once for two concurrent renderings', async () => {
    const art = await texture(testCard, 90, 120);
    const [one, other] = await Promise.all([render('t-shirt', art), render('t-shirt', art)]);
    expectSame(one, other);
    expect(art.decodes).toBe(1);
  });

  it('is the same without caches', async () => {
    const withoutCaches = new RenderEngine({ ...engineFiles, cacheBytes: 0 });
    const art = await texture(quadrants);
    const request: RenderRequest = {
      itemName: 't-shirt',
      angle: null,
      width: 100,
      height: 100,
      rgb: '#ffffff',
      prints: [{ place: 'front', texture: art, resizeMode: null, placed: null }],
      adjustment: null,
      format: 'png',
    };
    expectSame(await withoutCaches.render(request), await new RenderEngine(engineFiles).render(request));
  });
});
