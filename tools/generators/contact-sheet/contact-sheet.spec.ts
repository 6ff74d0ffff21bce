import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blanksFolder, readCatalogFiles } from '#blanks';
import { sharp } from '#images';
import { UsageError } from '../../../apps/operator/src/command-line/command.js';
import { readArguments } from './arguments.js';
import { writeSheet } from './draw.js';
import { page } from './page.js';
import { artworks, itemsWithImages, type Scene, scenesOf } from './shots.js';

const files = readCatalogFiles(blanksFolder);
const sources = (html: string): string[] => [...html.matchAll(/<img src="([^"]+)"/g)].map(([, source]) => source!);

describe('the contact sheet', () => {
  it('lists every item from every angle in every color with every artwork', () => {
    const expected = files.items.flatMap(({ name, angles, variants }) =>
      angles.flatMap((angle) =>
        [...new Set(variants.map(({ color }) => color))].flatMap((color) =>
          artworks.map((artwork) => `${name} ${angle.name} ${color} ${artwork}`),
        ),
      ),
    );
    const listed = scenesOf(files).flatMap(({ shots }) =>
      shots.map(({ item, angle, color, artwork }) => `${item} ${angle} ${color.name} ${artwork}`),
    );
    expect(listed.sort()).toEqual(expected.sort());
  });

  it('shows each of these images once, in a separate file', () => {
    const scenes = scenesOf(files);
    const wanted = scenes.flatMap(({ shots }) => shots.map(({ file }) => `323/${file}`));
    expect(new Set(wanted).size).toBe(wanted.length);
    expect(sources(page(scenes))).toEqual(wanted);
  });

  it('uses the default resize mode of the shop and labels it', () => {
    const modes = (...names: string[]) => scenesOf(files, names).map(({ resizeMode }) => resizeMode);
    expect(modes('clear-file', 'bandana', 'can-badge', 'cushion', 'towel-handkerchief')).toEqual(
      Array.from({ length: 5 }, () => 'contain'),
    );
    expect(modes('smartphone-case', 'note')).toEqual(['cover', 'contain']);
    expect(page(scenesOf(files, ['cushion']))).toContain('<h3>front <small>contain</small></h3>');
    expect(page(scenesOf(files, ['smartphone-case']))).toContain('<small>cover</small></h3>');
  });

  it('shows an image completely where the shop does', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'contact-sheet-'));
    try {
      const [scene] = scenesOf(files, ['clear-file']);
      const [shot] = scene!.shots;
      const drawn = async (more: Partial<Scene>) => {
        await writeSheet([{ ...scene!, shots: [shot!], ...more }], folder, () => undefined);
        return readFile(join(folder, '323', shot!.file));
      };
      const usual = await drawn({});
      expect(usual.equals(await drawn({ resizeMode: 'contain' }))).toBe(true);
      expect(usual.equals(await drawn({ resizeMode: 'cover' }))).toBe(false);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is rendered into a folder, small and large', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'contact-sheet-'));
    try {
      const scenes = scenesOf(files, ['acrylic-block']);
      const counts: number[] = [];
      const index = await writeSheet(scenes, join(folder, 'sheet'), (done) => counts.push(done));
      expect(counts).toEqual([1, 2, 3]);
      const shown = sources(await readFile(index, 'utf8'));
      expect(shown).toHaveLength(3);
      for (const edge of [323, 765]) {
        expect(await readdir(join(folder, 'sheet', String(edge), 'acrylic-block'))).toHaveLength(3);
        for (const source of shown) {
          const image = await readFile(join(folder, 'sheet', source.replace('323/', `${edge}/`)));
          expect(await sharp(image).metadata()).toMatchObject({ format: 'webp', width: edge, height: edge });
        }
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('the arguments of the contact sheet', () => {
  const drawn = itemsWithImages(files).map(({ name }) => name);
  const read = (...words: string[]) => readArguments(words, drawn);

  it('are a folder and items, or none', () => {
    expect(read()).toEqual({ out: '.data/contact-sheet', items: [] });
    expect(read('--out', 'sheet', '--item', 'mug', '--item', 't-shirt')).toEqual({
      out: 'sheet',
      items: ['mug', 't-shirt'],
    });
    expect(read('--help')).toBeUndefined();
  });

  it.each([
    [['--size', '3'], '--size'],
    [['mug'], 'mug'],
    [['--out', ''], '--out needs a folder'],
    [['--item', 'rocket'], 'There are no images of rocket, only of t-shirt'],
    [['--item', 'embroidery-t-shirt'], 'There are no images of embroidery-t-shirt'],
  ])('are rejected with a reason: %s', (words, reason) => {
    expect(() => read(...words)).toThrow(UsageError);
    expect(() => read(...words)).toThrow(reason);
  });
});
