import { type PlacedArtwork } from '#contracts';
import { completePlacement, invert, placeArtwork } from '#placement';
import { blanksFolder, type Layer, readLayers } from '#blanks';
import { makePlan, type Plan } from './plan.js';
import { type PrintTexture, RenderEngine } from './render-engine.js';
import { sharp } from '#images';
import { engineFiles, paintPng, textureOf } from './testing/test-card.js';

/** Edge of the images, in pixels: a quarter of the time of 1200. */
const edge = 600;
/** Artwork of 4 : 3 with a black dot at this point, 0 to 1 along both axes. */
const dot = { x: 0.55, y: 0.45, radius: 0.035 };
const artwork = { width: 800, height: 600 };
/** Returns the distance to the centre of the dot, in widths of the artwork. */
const distanceToDot = (x: number, y: number): number => Math.hypot(x - dot.x, (3 * (y - dot.y)) / 4);

const placements = {
  centre: {},
  // Not the upper left corner: it is behind the camera of the phone
  corner: { scale: 0.4, x: 0.2, y: 0.2 },
  // The only one that is visible from the left of the mug
  left: { scale: 0.4, x: -0.33 },
  scaled: { scale: 0.6 },
  rotated: { scale: 0.8, rotation: 30 },
  grid: { scale: 0.5, repeat: 'grid' },
  cover: {},
} as const;

const layers = [...readLayers(blanksFolder).values()].flatMap((angles) => [...angles.values()]);

interface Point {
  readonly x: number;
  readonly y: number;
}

const centreOf = (points: readonly Point[]): Point => ({
  x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
  y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
});

/** Returns the pixels of the plan that show the dot of the first repeat, by its matrix. */
function expectedPixels({ pixels, u, v, layer }: Plan, { matrix }: PlacedArtwork): Point[] {
  const [a, b, c, d, e, f] = invert(matrix);
  const { width, height } = layer.printArea;
  const found: Point[] = [];
  for (let i = 0; i < pixels.length; i++) {
    const [x, y] = [u[i]! * width, v[i]! * height];
    if (distanceToDot(a * x + c * y + e, b * x + d * y + f) < dot.radius)
      found.push({ x: pixels[i]! % edge, y: Math.floor(pixels[i]! / edge) });
  }
  return found;
}

/** Grey pixels of the whole print area in white and in black, and of the image with the dot. */
interface Images {
  readonly white: Buffer;
  readonly black: Buffer;
  readonly dotted: Buffer;
}

/**
 * Returns the pixels that are closer to the black print than to the white one, in the rectangle
 * around other pixels with a margin of two pixels. A reflection lightens both prints.
 */
function inkedPixels({ white, black, dotted }: Images, around: readonly Point[]): Point[] {
  const limits = (values: number[]) =>
    [Math.max(0, Math.min(...values) - 2), Math.min(edge - 1, Math.max(...values) + 2)] as const;
  const [left, right] = limits(around.map(({ x }) => x));
  const [top, bottom] = limits(around.map(({ y }) => y));
  const found: Point[] = [];
  for (let y = top; y <= bottom; y++)
    for (let x = left; x <= right; x++) {
      const i = y * edge + x;
      if (white[i]! - black[i]! > 4 && 2 * dotted[i]! < white[i]! + black[i]!) found.push({ x, y });
    }
  return found;
}

/**
 * A dot of the artwork must be where its matrix says, on every item and angle where it is fully
 * visible: within half a pixel of 600.
 */
describe('fiducials', () => {
  const engine = new RenderEngine(engineFiles);
  const paintGrey = (greyAt: (x: number, y: number) => number) =>
    paintPng(artwork.width, artwork.height, (x, y) => {
      const grey = greyAt(x, y);
      return [grey, grey, grey, 255];
    });
  let [white, black, dotted]: PrintTexture[] = [];
  beforeAll(async () => {
    [white, black, dotted] = (
      await Promise.all([
        paintGrey(() => 255),
        paintGrey(() => 0),
        paintGrey((x, y) => (distanceToDot(x, y) < dot.radius ? 0 : 255)),
      ])
    ).map(textureOf);
  });

  const greyOf = async (layer: Layer, texture: PrintTexture, placed: PlacedArtwork): Promise<Buffer> => {
    const prints = [{ place: layer.printPlace, texture, resizeMode: null, placed }];
    const size = { width: edge, height: edge, rgb: '#ffffff', adjustment: null, format: 'jpg' } as const;
    const image = await engine.render({ itemName: layer.item, angle: layer.angle, prints, ...size });
    return sharp(image).greyscale().raw().toBuffer();
  };

  it.each(layers.map((layer) => [layer.item, layer.angle, layer] as const))('of %s, %s', async (_, __, layer) => {
    const plan = await makePlan(layer, edge);
    const area = layer.printArea;
    const whole = placeArtwork({ artwork, area, mode: 'cover' }, completePlacement({}));
    const solid = { white: await greyOf(layer, white!, whole), black: await greyOf(layer, black!, whole) };
    const wrong: string[] = [];
    let checked = 0;
    for (const name of Object.keys(placements) as (keyof typeof placements)[]) {
      const mode = name === 'cover' ? 'cover' : 'contain';
      const placed = placeArtwork({ artwork, area, mode }, completePlacement(placements[name]));
      const expected = expectedPixels(plan, placed);
      if (expected.length < 12) continue;
      const images = { ...solid, dotted: await greyOf(layer, dotted!, placed) };
      const [is, should] = [inkedPixels(images, expected), expected].map(centreOf) as [Point, Point];
      const distance = Math.hypot(is.x - should.x, is.y - should.y);
      if (!(distance <= 0.5)) wrong.push(`${name}: ${distance.toFixed(2)} pixels`);
      checked++;
    }
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(0);
  });
});
