import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { blanksFolder, iconPng, iconSide } from '#blanks';

const itemsFolder = `${blanksFolder}/items`;

const pixels = (bytes: Buffer): Promise<Buffer> => sharp(bytes).ensureAlpha().raw().toBuffer();

/** Returns the mean difference per channel of two images, 0 to 255. */
async function distance(one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = await Promise.all([pixels(one), pixels(other)]);
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += Math.abs(a[index]! - b[index]!);
  return sum / a.length;
}

const items = readdirSync(itemsFolder);

describe('the icons', () => {
  it.each(items)('as PNG are small squares with a transparent background: %s', async (name) => {
    const bytes = await readFile(`${itemsFolder}/${name}/icon.png`);
    const { format, width, height, hasAlpha } = await sharp(bytes).metadata();
    expect([format, width, height, hasAlpha]).toEqual(['png', iconSide, iconSide, true]);
    expect(bytes.length).toBeLessThan(8_000);
    const drawn = await pixels(bytes);
    const corners = [0, iconSide - 1, iconSide * (iconSide - 1), iconSide * iconSide - 1];
    expect(corners.map((pixel) => drawn[4 * pixel + 3])).toEqual([0, 0, 0, 0]);
  });

  it.each(items)('as PNG match the SVG; otherwise run `npm run icons`: %s', async (name) => {
    const svg = await readFile(`${itemsFolder}/${name}/icon.svg`);
    const stored = await readFile(`${itemsFolder}/${name}/icon.png`);
    expect(await distance(stored, await iconPng(svg))).toBeLessThan(0.05);
  });
});
