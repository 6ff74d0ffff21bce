import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectPath } from '#config';
import { RenderEngine, type PrintTexture } from './render-engine.js';
import { sharp } from './sharp.js';
import { layersFolder, paintPng, testCard, textureOf } from './testing/test-card.js';

/**
 * Whole images against the ones that somebody looked at. `GOLDEN_WRITE=1` writes them anew (look at them before they
 * are kept), `GOLDEN_KEEP={folder}` keeps those that differ.
 */
const golden = projectPath('apps', 'material-rendering', 'src', 'pipeline', 'golden');
const edge = 323;

const images = [
  ['t-shirt', 'front', '#ffffff'],
  ['t-shirt', 'back', '#1a1a1a'],
  ['t-shirt', 'close-up', '#d71920'],
  ['mug', 'left', '#be1e2d'],
  ['smartphone-case', 'back', '#ffffff'],
  ['full-graphic-t-shirt', 'front', '#ffffff'],
  ['acrylic-keychain', 'front', '#ffffff'],
] as const;

describe('golden images', () => {
  let texture: PrintTexture;
  beforeAll(async () => {
    texture = textureOf(await paintPng(360, 480, testCard));
  });

  it.each(images)('%s, %s, %s looks as it did', async (itemName, angle, rgb) => {
    const prints = ['front', 'back', 'outside'].map((place) => ({ place, texture, resizeMode: null }));
    const size = { width: edge, height: edge };
    // Of its own: from which size of the artwork an image is drawn depends on what was drawn before it
    const engine = new RenderEngine({ layersFolder });
    const drawn = await engine.draw({ itemName, angle, ...size, rgb, prints, adjustment: null, format: 'png' });
    const name = `${itemName}-${angle}.webp`;
    if (process.env.GOLDEN_WRITE) await keep(golden, name, drawn);
    const [actual, expected] = await Promise.all(
      [drawn, await readFile(join(golden, name))].map((bytes) => sharp(bytes).removeAlpha().raw().toBuffer()),
    );
    const { mean, visible } = distance(actual!, expected!);
    if ((mean > 0.1 || visible > 0.0005) && process.env.GOLDEN_KEEP) await keep(process.env.GOLDEN_KEEP, name, drawn);
    // Another build of the same libraries may round otherwise; a shift of a tenth of a pixel is already far beyond
    expect(mean).toBeLessThan(0.1);
    expect(visible).toBeLessThan(0.0005);
  });
});

async function keep(folder: string, name: string, image: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), await sharp(image).webp({ lossless: true, effort: 6 }).toBuffer());
}

/** Mean difference per channel, and the part of the channels that differ by more than 6 of 255. */
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
