import { join } from 'node:path';
import { sharp } from '../../../apps/material-rendering/src/pipeline/sharp.js';
import { drawSingle, type Race } from './cases.js';

const edge = 765;

/**
 * Writes one image with a row per material: this project on the left, ImageMagick on the
 * right, which stays white if ImageMagick is missing.
 *
 * @returns path of the image
 */
export async function writeMontage(race: Race, folder: string): Promise<string> {
  const cells = await Promise.all(
    race.materials.map(async (material, row) => [
      { input: await drawSingle(race, material, edge), left: 0, top: row * edge },
      ...(race.imageMagick
        ? [{ input: await race.imageMagick.draw(material, edge), left: edge, top: row * edge }]
        : []),
    ]),
  );
  const path = join(folder, 'ours-and-imagemagick.jpg');
  const size = { width: 2 * edge, height: race.materials.length * edge };
  await sharp({ create: { ...size, channels: 3, background: 'white' } })
    .composite(cells.flat())
    .jpeg({ quality: 90 })
    .toFile(path);
  return path;
}
