import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectPath } from '#config';
import { RenderEngine, type PrintTexture } from './render-engine.js';
import { sharp } from '#images';
import { engineFiles, paintPng, testCard, textureOf } from './testing/test-card.js';

const golden = projectPath('libs', 'rendering', 'src', 'golden');
const edge = 323;

const images = [
  ['t-shirt', 'front', '#ffffff'],
  ['t-shirt', 'back', '#1a1a1a'],
  ['t-shirt', 'close-up', '#d71920'],
  ['t-shirt', 'front-wearing', '#d71920'],
  ['mug', 'right', '#be1e2d'],
  ['smartphone-case', 'back', '#ffffff'],
  ['full-graphic-t-shirt', 'front', '#ffffff'],
  ['acrylic-keychain', 'front', '#ffffff'],
] as const;

/**
 * Compares whole images with reviewed ones. `GOLDEN_WRITE=1` overwrites the reviewed images (review
 * them before a commit); `GOLDEN_DIFF={folder}` saves the images that differ.
 */
describe('golden images', () => {
  let texture: PrintTexture;
  beforeAll(async () => {
    texture = textureOf(await paintPng(360, 480, testCard));
  });

  it.each(images)('%s, %s, %s equals its reviewed image', async (itemName, angle, rgb) => {
    const prints = ['front', 'back', 'outside'].map((place) => ({ place, texture, resizeMode: null, placed: null }));
    const size = { width: edge, height: edge };
    // A separate engine, because the level of the artwork that is used depends on the images
    // rendered before
    const engine = new RenderEngine(engineFiles);
    const rendered = await engine.render({ itemName, angle, ...size, rgb, prints, adjustment: null, format: 'png' });
    const name = `${itemName}-${angle}.webp`;
    if (process.env.GOLDEN_WRITE) await save(golden, name, rendered);
    const [actual, expected] = await Promise.all(
      [rendered, await readFile(join(golden, name))].map((bytes) => sharp(bytes).removeAlpha().raw().toBuffer()),
    );
    const { mean, visible } = distance(actual!, expected!);
    const folder = process.env.GOLDEN_DIFF;
    if ((mean > 0.1 || visible > 0.0005) && folder) await save(folder, name, rendered);
    // Another build of the same libraries may round differently. A shift of a tenth of a pixel
    // exceeds both limits by far
    expect(mean).toBeLessThan(0.1);
    expect(visible).toBeLessThan(0.0005);
  });
});

async function save(folder: string, name: string, image: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), await sharp(image).webp({ lossless: true, effort: 6 }).toBuffer());
}

/**
 * Returns the mean difference per channel, and the share of channels that differ by more than 6 of
 * 255.
 */
function distance(a: Buffer, b: Buffer): { mean: number; visible: number } {
  expect(a.length).toBe(b.length);
  let [sum, visible] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    const difference = a[i]! > b[i]! ? a[i]! - b[i]! : b[i]! - a[i]!;
    sum += difference;
    if (difference > 6) visible++;
  }
  return { mean: sum / a.length, visible: visible / a.length };
}
