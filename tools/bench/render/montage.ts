import { join } from 'node:path';
import { sharp } from '#images';
import { drawSingle } from './cases.js';
import { type BenchContext } from './drawing.js';

const edge = 765;

/**
 * Writes one image with a row per material: this project on the left, ImageMagick on the
 * right, which stays white if ImageMagick is missing.
 *
 * @returns path of the image
 */
export async function writeMontage(context: BenchContext, folder: string): Promise<string> {
  const cells = await Promise.all(
    context.materials.map(async (material, row) => [
      { input: await drawSingle(context, material, edge), left: 0, top: row * edge },
      ...(context.imageMagick
        ? [{ input: await context.imageMagick.draw(material, edge), left: edge, top: row * edge }]
        : []),
    ]),
  );
  const path = join(folder, 'ours-and-imagemagick.jpg');
  const size = { width: 2 * edge, height: context.materials.length * edge };
  await sharp({ create: { ...size, channels: 3, background: 'white' } })
    .composite(cells.flat())
    .jpeg({ quality: 90 })
    .toFile(path);
  return path;
}
