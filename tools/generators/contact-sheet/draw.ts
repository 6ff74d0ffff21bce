import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { blanksFolder } from '#blanks';
import { projectPath } from '#config';
import { cmykProfileIn } from '#rendering/print/profiles.js';
import { ownTexture } from '#rendering/own-texture.js';
import { RenderEngine } from '#rendering/render-engine.js';
import { large, page, small } from './page.js';
import { artworks, type Scene, type Shot } from './shots.js';

/**
 * Writes the page of the scenes, `index.html`, and its images into a folder, which is created if it
 * is missing.
 *
 * @param progress receives the number of rendered images after each artwork of a scene
 * @returns the path of the page
 */
export async function writeSheet(
  scenes: readonly Scene[],
  folder: string,
  progress: (done: number) => void,
): Promise<string> {
  const engine = new RenderEngine({
    blanksFolder,
    cmykProfile: cmykProfileIn(projectPath('libs', 'rendering', 'profiles')),
  });
  const textures = new Map(
    await Promise.all(
      artworks.map(
        async (name) => [name, ownTexture(await readFile(projectPath('libs', 'demo-shop', 'artwork', name)))] as const,
      ),
    ),
  );
  let done = 0;
  for (const { angle, resizeMode, shots } of scenes) {
    // In sequence, because the colors of one artwork share the decoded artwork and its ink
    for (const [artwork, texture] of textures) {
      const prints = [{ place: angle.printPlace, texture, resizeMode, placed: null }];
      const colors = shots.filter((shot) => shot.artwork === artwork);
      const write = async ({ item: itemName, angle: from, color, file }: Shot, edge: number): Promise<void> => {
        const size = { width: edge, height: edge, format: 'webp' } as const;
        const path = join(folder, String(edge), file);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(
          path,
          await engine.render({ itemName, angle: from, rgb: color.rgb, prints, adjustment: null, ...size }),
        );
      };
      await Promise.all(colors.flatMap((shot) => [write(shot, small), write(shot, large)]));
      done += colors.length;
      progress(done);
    }
  }
  const index = join(folder, 'index.html');
  await writeFile(index, page(scenes));
  return index;
}
